"""A receiver on Python's standard library alone, as a merchant writes one by hand.

Reads COUNTERSIGN_SECRET (secrets, separated by white space) and prints `ready http://127.0.0.1:PORT`.
POST /webhooks takes attempts; GET /effects tells what has run, PUT /effects {"failNext": n} makes the
next n runs fail. Its first argument is the folder of the published schemas.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 1 << 20
BODY_SECONDS = 10
MAX_DEPTH = 16
KEYS = [
    base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    for secret in os.environ["COUNTERSIGN_SECRET"].split()
]
SCHEMAS = Path(sys.argv[1])


def is_genuine(headers, body):
    """Standard Webhooks v1: every key and every signature is tried, over the bytes as they came."""
    values = [headers.get_all(f"webhook-{name}", []) for name in ("id", "timestamp", "signature")]
    if any(len(one) != 1 for one in values):
        return False
    (event_id,), (timestamp,), (signatures,) = values
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", event_id):
        return False
    if not re.fullmatch(r"0|[1-9][0-9]{0,11}", timestamp):
        return False
    text = f"{event_id}.{timestamp}.".encode() + body
    digests = [base64.b64encode(hmac.digest(key, text, hashlib.sha256)) for key in KEYS]
    sent = [one[3:].encode("latin-1") for one in signatures.split(" ") if one.startswith("v1,")]
    # Compared as text: base64 that is written otherwise is no signature of ours.
    matches = [hmac.compare_digest(digest, one) for digest in digests for one in sent]
    return any(matches) and abs(int(timestamp) - int(time.time())) <= TOLERANCE_SECONDS


def unique(members):
    found = dict(members)
    if len(found) != len(members):
        raise ValueError("a member stands twice")
    return found


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def depth_of(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return (isinstance(value, (dict, list))) + max(map(depth_of, children), default=0)


def read_event(body):
    """The event of an authentic body. Raises ValueError, or RecursionError where it is too deep."""
    text = body.decode("utf-8")
    event = json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant)
    if depth_of(event) > MAX_DEPTH:
        raise ValueError("too deep")
    members = {"id": str, "type": str, "timestamp": str, "data": dict}
    if not isinstance(event, dict) or any(
        not isinstance(event.get(name), kind) for name, kind in members.items()
    ):
        raise ValueError("no event")
    return event


KINDS = {"object": dict, "string": str, "number": (int, float), "boolean": bool, "array": list}


def fits(value, schema, folder):
    """As much of JSON Schema as the events use, as a reader reads it: unknown members pass."""
    if "$ref" in schema:
        path = (folder / schema["$ref"]).resolve()
        return fits(value, json.loads(path.read_text()), path.parent)
    if "oneOf" in schema:
        name = schema["discriminator"]["propertyName"]
        said = value.get(name) if isinstance(value, dict) else None
        branches = schema["oneOf"]
        consts = [one for one in branches if one["properties"][name].get("const") == said]
        open_ones = [one for one in branches if one["properties"][name].get("x-open")]
        return any(fits(value, one, folder) for one in (consts or open_ones)[:1])
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(value is None if kind == "null" else is_kind(value, kind) for kind in kinds):
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "enum" in schema and not schema.get("x-open") and value not in schema["enum"]:
        return False
    if isinstance(value, str):
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
            return False
        return re.search(schema.get("pattern", ""), value) is not None
    if isinstance(value, dict):
        if any(name not in value for name in schema.get("required", [])):
            return False
        properties = schema.get("properties", {})
        return all(fits(value[name], one, folder) for name, one in properties.items() if name in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return True


def is_kind(value, kind):
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def fits_its_type(event):
    path = SCHEMAS / "events" / f"{event['type']}.schema.json"
    is_known = re.fullmatch(r"[a-z]+\.[a-z]+", event["type"]) and path.exists()
    return not is_known or fits(event, json.loads(path.read_text()), path.parent)


class Inbox:
    """What is known of each event, and what its handler has done."""

    def __init__(self):
        self.lock = threading.Lock()
        self.known = {}
        self.effects = {}
        self.fail_next = 0

    def claim(self, event_id, body):
        """The answer to an event that is known, or None: then it is this caller's."""
        with self.lock:
            at, before = self.known.get(event_id, (None, None))
            if before is not None and before != body:
                return 409, {}, "id_reused"
            if at == "handled":
                return 204, {}, None
            if at == "running":
                return 409, {"retry-after": "1"}, "in_progress"
            self.known[event_id] = "running", body
            return None

    def handle(self, event, body):
        with self.lock:
            fails = self.fail_next > 0
            self.fail_next -= fails
        time.sleep(0.015)
        with self.lock:
            if fails:
                del self.known[event["id"]]
                return 503, {"retry-after": "1"}, "failed"
            self.known[event["id"]] = "handled", body
            entry = {"eventId": event["id"], "type": event["type"], "count": 0}
            self.effects.setdefault(event["id"], entry)["count"] += 1
        return 204, {}, None


INBOX = Inbox()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = BODY_SECONDS
    disable_nagle_algorithm = True

    def answer(self, status, headers=None, code=None, text=None):
        body = (text if text is not None else json.dumps({"code": code}) if code else "").encode()
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if body:
            self.send_header("content-type", "application/json")
        if status != 204:
            self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def refuse_unread(self, *answer):
        """What is still to come is no next request."""
        self.close_connection = True
        self.answer(*answer)

    def do_POST(self):
        if self.path != "/webhooks":
            return self.refuse_unread(404, {}, "path")
        encodings = self.headers.get_all("content-encoding", [])
        if any(one.lower() != "identity" for one in encodings):
            return self.refuse_unread(415, {}, "encoding")
        media = self.headers.get_all("content-type", [])
        if len(media) != 1 or not re.match(r"application/json\s*(;|$)", media[0], re.I):
            return self.refuse_unread(415, {}, "media_type")
        body = self.read_body()
        if body is None:
            return None
        if not is_genuine(self.headers, body):
            return self.answer(401, {}, "signature")
        try:
            event = read_event(body)
        except (ValueError, RecursionError):
            return self.answer(400, {}, "body")
        if event["id"] != self.headers["webhook-id"]:
            return self.answer(400, {}, "id")
        if not fits_its_type(event):
            return self.answer(422, {}, "schema")
        return self.answer(*(INBOX.claim(event["id"], body) or INBOX.handle(event, body)))

    def read_body(self):
        """The body, or None where it was refused."""
        lengths = self.headers.get_all("content-length", [])
        if self.headers.get("transfer-encoding") is not None or len(lengths) != 1:
            self.refuse_unread(411, {}, "length")
            return None
        if not re.fullmatch(r"[0-9]{1,12}", lengths[0]) or int(lengths[0]) > MAX_BODY_BYTES:
            self.refuse_unread(413, {}, "too_large")
            return None
        left = int(lengths[0])
        chunks = []
        deadline = time.monotonic() + BODY_SECONDS
        try:
            while left > 0:
                self.connection.settimeout(max(deadline - time.monotonic(), 0.001))
                chunk = self.rfile.read1(left)
                if not chunk:
                    break
                chunks.append(chunk)
                left -= len(chunk)
        except TimeoutError:
            self.refuse_unread(408, {}, "slow")
            return None
        finally:
            self.connection.settimeout(BODY_SECONDS)
        if left > 0:
            self.close_connection = True
            return None
        return b"".join(chunks)

    def wrong_method(self):
        if self.path == "/effects":
            return self.effects()
        return self.refuse_unread(405, {"allow": "POST"}, "method")

    do_GET = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = wrong_method

    def effects(self):
        if self.command == "PUT":
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            INBOX.fail_next = asked["failNext"]
            return self.answer(204)
        with INBOX.lock:
            text = json.dumps(list(INBOX.effects.values()))
        return self.answer(200, text=text)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
