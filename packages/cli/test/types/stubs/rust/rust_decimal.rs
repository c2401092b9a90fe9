#[derive(Debug, Clone, PartialEq)]
pub struct Decimal;
