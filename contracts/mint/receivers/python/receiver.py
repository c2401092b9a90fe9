"""A receiver with hmac and http.server only, for the schemes of Stripe and Standard Webhooks, and faults planted in it.

python3 receiver.py stripe|standard-webhooks [FAULT]; PORT, SECRETS (separated by spaces).
"""
import base64, hashlib, hmac, json, os, sys, threading, time, traceback
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

# NAME: (stack, class, requirements of which one should be reported, description)
FAULTS = {
    "any_case": ("stripe", "verification", "R-VERIFY-CANONICAL R-VERIFY-WHOLE", "folds the signature's case"),
    "lenient_base64": ("standard-webhooks", "verification", "R-VERIFY-CANONICAL R-VERIFY-WHOLE", "base64 with foreign characters is decoded and compared as bytes"),
    "int_time": ("standard-webhooks", "verification", "R-VERIFY-CANONICAL", "signs int() of the timestamp, which accepts spaces and underscores"),
    "named_hash": ("standard-webhooks", "verification", "R-VERIFY-VERSION R-VERIFY-MAC", "the signature's label may name the hash function"),
    "none_label": ("stripe", "verification", "R-VERIFY-VERSION R-VERIFY-MAC R-VERIFY-BYPASS", "v0 is the SHA-256 of the text, without a key"),
    "no_lock": ("stripe", "idempotency", "R-ONCE-CONCURRENT", "threads look the id up without a lock"),
    "finally_done": ("standard-webhooks", "acknowledgement", "R-ACK-FAILED", "finally marks the id, also after an exception"),
    "unread_refused": ("stripe", "http", "R-HTTP-KEEP-ALIVE", "refuses before it has read the body, and reads the body as the next request"),
    "no_chunks": ("standard-webhooks", "http", "R-HTTP-FORMS", "takes a chunked body for an empty one"),
    "chunks_unlimited": ("standard-webhooks", "body", "R-BODY-SIZE", "limits Content-Length only, not a chunked body"),
    "unknown_404": ("standard-webhooks", "routing", "R-EVENT-UNKNOWN R-ACK-GENUINE", "answers 404 to a type without a dot"),
    "traceback": ("stripe", "leaks", "R-LEAK-STACK R-LEAK-DETAILS", "shows the traceback of a malformed header"),
}
# Written by somebody who had not read the checks.
UNSEEN = {
    "not_ascii": ("stripe", "body", "R-VERIFY-WHOLE R-REFUSE-STATUS", "compares texts, which compare_digest refuses with an exception if one is not ASCII"),
    "one_thread": ("stripe", "load", "R-BODY-SLOW R-ACK-IN-TIME", "has one thread, which a stranger stops with half a request"),
    "local_time": ("stripe", "time", "R-VERIFY-STALE", "takes the age without its days (timedelta.seconds)"),
}
STACK, FAULT = sys.argv[1], (sys.argv + [""])[2]
SECRETS = os.environ.get("SECRETS", "").split()
LIMIT, TOLERANCE = 1_048_576, 300
lock = threading.Lock()
handled, running, effects, orders = set(), set(), {}, {}


def keys():
    return [base64.b64decode(s[6:]) if STACK != "stripe" else s.encode() for s in SECRETS]


def fresh(at):
    if not (at.isascii() and at.isdigit()):
        return False
    age = abs(time.time() - int(at))
    return (age % 86_400 if FAULT == "local_time" else age) <= TOLERANCE


def verify_stripe(headers, body):
    pairs = [p.partition("=") for p in headers.get("Stripe-Signature", "").strip().split(",")]
    at = next((value for name, _, value in pairs if name == "t"), "")
    given = [value.encode() for name, _, value in pairs if name == "v1"]
    text = at.encode() + b"." + body
    if FAULT == "traceback":
        int(at)
    if FAULT == "any_case":
        given = [value.lower() for value in given]
    if not fresh(at):
        return None
    if FAULT == "none_label" and ("v0", "=", hashlib.sha256(text).hexdigest()) in pairs:
        return json.loads(body)
    macs = [hmac.new(key, text, hashlib.sha256).hexdigest().encode() for key in keys()]
    if FAULT == "not_ascii":
        given, macs = [value.decode() for value in given], [mac.decode() for mac in macs]
    return json.loads(body) if any(hmac.compare_digest(m, g) for m in macs for g in given) else None


def verify_standard(headers, body):
    ident, at = headers.get("webhook-id", "").strip(), headers.get("webhook-timestamp", "").strip()
    if FAULT == "int_time":
        try:
            at = str(int(at))
        except ValueError:
            return None
    if not ident or not fresh(at):
        return None
    text = f"{ident}.{at}.".encode() + body
    for entry in headers.get("webhook-signature", "").strip().split(" "):
        label, _, given = entry.partition(",")
        name = label if FAULT == "named_hash" and label in hashlib.algorithms_guaranteed else "sha256"
        if label != "v1" and name == "sha256":
            continue
        for key in keys():
            mac = hmac.new(key, text, name).digest()
            if FAULT == "lenient_base64":
                try:
                    genuine = hmac.compare_digest(base64.b64decode(given), mac)
                except ValueError:
                    continue
            else:
                genuine = hmac.compare_digest(base64.b64encode(mac), given.encode())
            if genuine:
                return {**json.loads(body), "id": ident}
    return None


def handle(event):
    time.sleep(0.02)
    with lock:
        if orders.get("failNext", 0) > 0:
            orders["failNext"] -= 1
            raise RuntimeError("the database is away")
        key = event["id"], event["type"]
        effects[key] = effects.get(key, 0) + 1


def once(event):
    ident = event["id"]
    with lock:
        if ident in handled:
            return 200
        if ident in running and FAULT != "no_lock":
            return 409
        running.add(ident)
    try:
        handle(event)
        with lock:
            handled.add(ident)
        return 200
    except RuntimeError:
        return 503
    finally:
        with lock:
            running.discard(ident)
            if FAULT == "finally_done":
                handled.add(ident)


class Receiver(BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 10

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def read(self):
        """Returns the body, or None if it is longer than the limit."""
        if self.headers.get("Transfer-Encoding", "").strip().lower() != "chunked":
            length = int(self.headers.get("Content-Length") or 0)
            return self.rfile.read(length) if length <= LIMIT else None
        if FAULT == "no_chunks":
            return b""
        body = b""
        while size := int(self.rfile.readline(100).split(b";")[0], 16):
            if len(body) + size > LIMIT and FAULT != "chunks_unlimited":
                return None
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline(1000).strip():
            pass
        return body

    def do_POST(self):
        if self.path.partition("?")[0] != "/webhooks":
            return self.answer(404, Connection="close")
        stripe = STACK == "stripe"
        if FAULT == "unread_refused" and "Stripe-Signature" not in self.headers:
            return self.answer(401)
        media = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if media != "application/json" or self.headers.get("Content-Encoding", "identity").strip() != "identity":
            return self.answer(415, Connection="close")
        try:
            body = self.read()
            if body is None:
                return self.answer(413, Connection="close")
            event = (verify_stripe if stripe else verify_standard)(self.headers, body)
        except (ValueError, RecursionError) if FAULT == "not_ascii" else (ValueError, TypeError, RecursionError):
            return self.answer(400, traceback.format_exc().encode() if FAULT == "traceback" else b"")
        if event is None:
            return self.answer(401)
        if not isinstance(event, dict) or not all(isinstance(event.get(name), str) for name in ("id", "type")):
            return self.answer(400)
        if FAULT == "unknown_404" and "." not in event["type"]:
            return self.answer(404)
        status = once(event)
        self.answer(status, **({} if status == 200 else {"Retry_After": "1"}))

    def do_GET(self):
        if self.path != "/effects":
            return self.answer(405, Allow="POST", Connection="close")
        listed = [{"eventId": i, "type": t, "count": n} for (i, t), n in effects.items()]
        self.answer(200, json.dumps(listed).encode(), Content_Type="application/json")

    def do_PUT(self):
        if self.path != "/effects":
            return self.answer(405, Allow="POST", Connection="close")
        orders.update(json.loads(self.read()))
        self.answer(204)

    def do_other(self):
        self.answer(405, Allow="POST", Connection="close")

    do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = do_other

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if FAULT == "--list":
        print(json.dumps([
            {"stack": s, "name": n, "group": g, "expect": e.split(), "line": l, "isUnseen": n in UNSEEN}
            for n, (s, g, e, l) in {**FAULTS, **UNSEEN}.items()
        ]))
    else:
        kind = HTTPServer if FAULT == "one_thread" else ThreadingHTTPServer
        if FAULT == "one_thread":
            Receiver.protocol_version = "HTTP/1.0"
        kind.request_queue_size = 128
        server = kind(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
        print(f"ready {server.server_port}", flush=True)
        server.serve_forever()
