# Receives webhooks of formhost and stores each in a file, once:
#   WEBHOOK_SECRET=whsec_… python3 receiver.py
import base64
import hmac
import os
import re
import sys
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

MAX_BYTES = 4 * 1024 * 1024
MAX_AGE_SECONDS = 300

key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
if not key:
    # With an empty key, anybody could sign.
    sys.exit("Set WEBHOOK_SECRET to the secret of the webhook: whsec_…")
folder = Path(os.environ.get("FOLDER", "deliveries"))
folder.mkdir(parents=True, exist_ok=True)


def is_genuine(body: bytes, id: str, timestamp: str, signatures: str) -> bool:
    """Whether a body was signed with the secret in the last five minutes. Compares in constant time."""
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > MAX_AGE_SECONDS:
        return False
    signature = hmac.digest(key, f"{id}.{timestamp}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(signature)
    # There are two for a day after the secret was rotated.
    return any(hmac.compare_digest(given.encode(), expected) for given in signatures.split(" "))


def store(id: str, body: bytes) -> bool:
    """Stores a delivery; False when it is there already. After a crash there is all of it, or nothing."""
    incomplete = folder / f".{uuid.uuid4()}"
    with open(incomplete, "xb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(incomplete, folder / f"{id}.json")
        return True
    except FileExistsError:
        return False
    finally:
        incomplete.unlink()


class Receiver(BaseHTTPRequestHandler):
    timeout = 20  # seconds that a client may be silent

    def receive(self) -> int:
        """Stores what is genuine, and says with which status to answer."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,10}", length):
            return 411
        if int(length) > MAX_BYTES:
            return 413
        # The bytes as they came: the signature is about them.
        body = self.rfile.read(int(length))
        names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
        id, timestamp, signatures = [self.headers.get(name, "") for name in names]
        if not is_genuine(body, id, timestamp, signatures):
            return 401
        # It becomes the name of a file.
        if not re.fullmatch(r"[\w-]+", id, re.ASCII):
            return 400
        # The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
        if store(id, body):
            print("received", id, flush=True)
        return 204

    def do_POST(self) -> None:
        self.send_response(self.receive())
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


# Longer work is done after the answer, by a program that reads the folder.
server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), Receiver)
print("listening", flush=True)
server.serve_forever()
