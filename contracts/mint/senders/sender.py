"""A sender of Standard Webhooks with Python's standard library only, and faults planted in it.

python3 sender.py [FAULT]   POST /send?type=T {"url": …, "secret": …} sends an event to that URL and to all endpoints; POST
/endpoints {"url": …, "secret": …} adds or reopens an endpoint; POST /rotate {"secret": …} adds a secret to all, which signs with
the one before. Environment: PORT, BACKOFF (seconds before each retry), TIMEOUT (seconds), CA_FILE.
"""
import base64, calendar, email.utils, hashlib, hmac, http.client, json, os, re, secrets, ssl, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

# NAME: (requirements of which one should be reported, description)
FAULTS = {
    "new_id": ("P-EVENT-ID-KEPT", "each attempt has an id of its own"),
    "old_time": ("P-EVENT-TIMESTAMP", "each attempt repeats the timestamp and the signature of the first"),
    "new_body": ("P-EVENT-ID-KEPT", "the body is serialized for each attempt, with its number"),
    "follows_redirects": ("P-EVENT-NO-REDIRECT", "sends the event to the address of a redirect"),
    "ignores_410": ("P-EVENT-GONE", "goes on after 410"),
    "ignores_retry_after": ("P-EVENT-RETRY-AFTER", "retries by its schedule, whatever Retry-After says"),
    "no_timeout": ("P-EVENT-TIMEOUT", "waits for an answer without end"),
    "signs_compact": ("P-EVENT-SIGNED", "signs the JSON without the spaces that it sends"),
    "again_after_success": ("P-EVENT-SUCCESS", "makes one attempt more after an acknowledgement"),
    "gives_up_on_500": ("P-EVENT-RETRY P-EVENT-SUCCESS", "takes 500 for an answer that ends the attempts"),
    "redirect_succeeds": ("P-EVENT-SUCCESS P-EVENT-NO-REDIRECT", "takes 3xx for success"),
    "old_secret": ("P-EVENT-ROTATION P-EVENT-SIGNED", "goes on signing with the first secret after a rotation"),
    "any_certificate": ("P-EVENT-TLS", "does not verify certificates"),
    "secret_in_agent": ("P-EVENT-NO-SECRETS", "the User-Agent has the start of the secret's text"),
    "decoded_path": ("P-EVENT-HEADER-INJECTION", "decodes the path of the URL before it writes the request"),
}
FAULT = (sys.argv + [""])[1]
BACKOFF = [float(s) for s in os.environ.get("BACKOFF", "1,2,4").split(",")]
TIMEOUT = float(os.environ.get("TIMEOUT", "5"))
first = []  # all secrets, in the order in which they were given
endpoints = {}  # by URL: {"secrets": newest first, "gone": after 410, "subscribed": gets every event}


def signature(endpoint, ident, at, body):
    signing = first[:1] if FAULT == "old_secret" else endpoint["secrets"]
    keys = [base64.b64decode(s.removeprefix("whsec_")) for s in signing]
    if FAULT == "signs_compact":
        body = json.dumps(json.loads(body), separators=(",", ":")).encode()
    text = f"{ident}.{at}.".encode() + body
    return " ".join("v1," + base64.b64encode(hmac.new(k, text, hashlib.sha256).digest()).decode() for k in keys)


def post(url, headers, body):
    """Returns the status and Retry-After of one request; redirects are not followed."""
    parts = urlsplit(url)
    timeout = None if FAULT == "no_timeout" else TIMEOUT
    if parts.scheme == "https":
        context = ssl.create_default_context(cafile=os.environ.get("CA_FILE"))
        if FAULT == "any_certificate":
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=context)
    else:
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=timeout)
    # A socket's timeout bounds each read; the timer bounds the whole attempt.
    timer = threading.Timer(timeout or 3600, lambda: connection.sock and connection.sock.shutdown(2))
    timer.daemon = True
    timer.start()
    try:
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if FAULT == "decoded_path":
            path = unquote(path)
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        location = answer.getheader("Location")
        if FAULT == "follows_redirects" and 300 <= answer.status < 400 and location:
            return post(urljoin(url, location), headers, body)
        answer.read(65_536)
        return answer.status, answer.getheader("Retry-After")
    except (OSError, http.client.HTTPException, AttributeError):
        return 0, None
    finally:
        timer.cancel()
        connection.close()


def delay_of(text):
    """Returns the seconds of a Retry-After, at most 60."""
    if FAULT == "ignores_retry_after" or not text:
        return 0
    if re.fullmatch(r"\d{1,9}", text):
        return min(int(text), 60)
    date = email.utils.parsedate(text)
    return min(max(calendar.timegm(date) - time.time(), 0), 60) if date else 0


def deliver(event, url):
    endpoint = endpoints[url]
    ident, body, at = event["id"], event["body"], None
    for number, pause in enumerate([*BACKOFF, 0]):
        if endpoint["gone"]:
            return
        if FAULT == "new_id" and number > 0:
            ident = f"msg_{secrets.token_hex(12)}"
        if FAULT == "new_body":
            body = json.dumps({**json.loads(event["body"]), "attempt": number + 1}).encode()
        at = at if FAULT == "old_time" and at else int(time.time())
        agent = f"sender-py/1 {endpoint['secrets'][0]}" if FAULT == "secret_in_agent" else "sender-py/1"
        headers = {"Content-Type": "application/json", "User-Agent": agent, "webhook-id": ident}
        headers |= {"webhook-timestamp": str(at), "webhook-signature": signature(endpoint, ident, at, body)}
        status, retry_after = post(url, headers, body)
        if status == 410 and FAULT != "ignores_410":
            endpoint["gone"] = True
            return
        if 200 <= status < 300 or (FAULT == "redirect_succeeds" and 300 <= status < 400):
            if FAULT != "again_after_success" or number > 0:
                return
        if FAULT == "gives_up_on_500" and status == 500:
            return
        time.sleep(max(pause, delay_of(retry_after)))


class Control(BaseHTTPRequestHandler):
    def do_POST(self):
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        url, secret = given.get("url"), given["secret"]
        first.append(secret)
        if url:
            endpoints.setdefault(url, {"secrets": [], "gone": False, "subscribed": False})
        for each in [endpoints[url]] if url else endpoints.values():
            if secret not in each["secrets"]:
                each["secrets"] = [secret, *each["secrets"]][:2]
        kind = query.get("type", ["payment.created"])[0]
        status = 202 if re.fullmatch(r"[\w.]+", kind, re.ASCII) else 400
        if path == "/endpoints":
            endpoints[url].update(gone=False, subscribed=True)
        elif path == "/send" and status == 202:
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            data = {"type": kind, "timestamp": at, "data": {"id": secrets.token_hex(6), "note": "café"}}
            body = json.dumps(data, ensure_ascii=False).encode()
            event = {"id": f"msg_{secrets.token_hex(12)}", "body": body}
            for each in [url, *(u for u, e in endpoints.items() if e["subscribed"] and u != url)]:
                threading.Thread(target=deliver, args=(event, each), daemon=True).start()
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if FAULT == "--list":
    print(json.dumps([{"name": n, "expect": e.split(), "line": l} for n, (e, l) in FAULTS.items()]))
else:
    if FAULT == "decoded_path":
        http.client.HTTPConnection._validate_path = lambda self, path: None
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "0"))), Control)
    print(f"ready {server.server_port}", flush=True)
    server.serve_forever()
