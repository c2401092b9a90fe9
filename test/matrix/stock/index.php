<?php
// PHP's built-in server and SQLite, with the signature verified by hand.
$db = new PDO('sqlite:' . getenv('DATABASE'), null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$db->exec('CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, type TEXT)');
$db->exec('CREATE TABLE IF NOT EXISTS failing (remaining INTEGER)');

function is_genuine(string $body): bool {
    $key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

function handle_once(PDO $db, array $event): void {
    $db->beginTransaction();
    $insert = $db->prepare('INSERT OR IGNORE INTO events VALUES (?, ?)');
    $insert->execute([$event['id'], $event['type']]);
    if ($insert->rowCount() === 0) {
        $db->rollBack();
        return;
    }
    if ((int) $db->query('SELECT remaining FROM failing')->fetchColumn() > 0) {
        $db->rollBack();
        $db->exec('UPDATE failing SET remaining = remaining - 1');
        throw new RuntimeException('told to fail');
    }
    $db->commit();
}

$body = file_get_contents('php://input');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/effects' && $_SERVER['REQUEST_METHOD'] === 'PUT') {
    $db->exec('DELETE FROM failing');
    $db->prepare('INSERT INTO failing VALUES (?)')->execute([json_decode($body)->failNext]);
    http_response_code(204);
} elseif ($path === '/effects') {
    header('Content-Type: application/json');
    echo json_encode($db->query('SELECT id AS eventId, type, 1 AS count FROM events')->fetchAll(PDO::FETCH_ASSOC));
} elseif ($_SERVER['REQUEST_METHOD'] !== 'POST' || !is_genuine($body)) {
    http_response_code(401);
} else {
    handle_once($db, json_decode($body, true, 512, JSON_THROW_ON_ERROR));
    http_response_code(204);
}
