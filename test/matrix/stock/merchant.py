# What a merchant writes once for any framework: the signature verified by hand, and one row for each event.
import base64, hashlib, hmac, os, sqlite3, threading, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
db = sqlite3.connect(":memory:", check_same_thread=False)
db.execute("CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT)")
lock = threading.Lock()
failing = {"failNext": 0}


def is_genuine(headers, body):
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs(int(time.time()) - int(timestamp)) > 300:
        return False
    digest = hmac.new(KEY, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    sent = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected.encode()) for one in sent)


def handle_once(event):
    """Handles an event unless it was handled before; an exception rolls the insertion back."""
    with lock, db:
        row = (event["id"], event["type"])
        is_new = db.execute("INSERT OR IGNORE INTO events VALUES (?, ?)", row).rowcount == 1
        if is_new and failing["failNext"] > 0:
            failing["failNext"] -= 1
            raise RuntimeError(failing.get("reason"))


def effects():
    with lock:
        rows = db.execute("SELECT id, type FROM events").fetchall()
    return [{"eventId": id, "type": type, "count": 1} for id, type in rows]
