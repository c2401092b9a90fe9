// A merchant's books: one row for each event, and a handler that fails when a test asks for it.
import { DatabaseSync } from "node:sqlite";

const db = new DatabaseSync(":memory:");
db.exec("CREATE TABLE events (id TEXT PRIMARY KEY)");
db.exec("CREATE TABLE bookings (event_id TEXT, type TEXT, cents INTEGER)");
const claim = db.prepare("INSERT OR IGNORE INTO events (id) VALUES (?)");
const release = db.prepare("DELETE FROM events WHERE id = ?");
const book = db.prepare("INSERT INTO bookings (event_id, type, cents) VALUES (?, ?, ?)");
const list = db.prepare(
  "SELECT event_id AS eventId, type, cents AS amountCents, count(*) AS count FROM bookings GROUP BY event_id",
);

let failing = { failNext: 0 };

function handle(event) {
  if (failing.failNext-- > 0) throw new Error(failing.reason);
  const value = event.data?.amount?.value;
  book.run(event.id, event.type, typeof value === "number" ? Math.round(value * 100) : null);
}

/** Handles an event unless it was handled before. */
export function handleOnce(event) {
  if (claim.run(event.id).changes === 0) return;
  try {
    handle(event);
  } catch (error) {
    release.run(event.id);
    throw error;
  }
}

export const effects = () => list.all();

export function failNext(asked) {
  failing = asked;
}
