"""Callers by bearer tokens of an OpenID provider, which is a small HTTP server here."""
import base64
import hashlib
import http.server
import json
import random
import threading
import time

import pytest

from waybill_testing.client import job
from waybill_testing.waiting import wait_until


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def prime(bits):
    dice = random.SystemRandom()
    while True:
        candidate = dice.getrandbits(bits) | 1 | 3 << (bits - 2)
        hopeful = all(candidate % small for small in (3, 5, 7, 11, 13, 17, 19, 23, 29)) and candidate % 65537 != 1
        if hopeful and pow(2, candidate - 1, candidate) == 1:
            return candidate


class Key:
    """An RSA key that signs as RFC 7515 and RFC 8017 (PKCS1-v1_5) say."""

    DIGEST_INFO = bytes.fromhex("3031300d060960864801650304020105000420")  # of SHA-256

    def __init__(self, kid):
        self.kid, self.e, p, q = kid, 65537, prime(1024), prime(1024)
        self.n, self.d = p * q, pow(self.e, -1, (p - 1) * (q - 1))

    def jwk(self):
        number = lambda value: base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))
        return {"kty": "RSA", "use": "sig", "kid": self.kid, "n": number(self.n), "e": number(self.e)}

    def token(self, claims):
        parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "kid": self.kid}, claims)]
        text = ".".join(base64url(part) for part in parts)
        digest = self.DIGEST_INFO + hashlib.sha256(text.encode()).digest()
        padded = b"\0\1" + b"\xff" * (256 - 3 - len(digest)) + b"\0" + digest
        signature = pow(int.from_bytes(padded, "big"), self.d, self.n).to_bytes(256, "big")
        return text + "." + base64url(signature)


class Provider:
    def __init__(self, *keys):
        self.answer(*keys)
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Length", str(len(provider.document)))
                self.end_headers()
                self.wfile.write(provider.document)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, *keys):
        self.document = json.dumps({"keys": [key.jwk() for key in keys]}).encode()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def config(self):
        return {"auth": {"mode": "oidc", "oidc": {"issuer": self.url, "audience": "waybill", "jwks_uri": f"{self.url}/keys"}}}

    def claims(self, **change):
        return {"iss": self.url, "aud": "waybill", "sub": "alice", "exp": int(time.time()) + 3600, **change}


@pytest.fixture(scope="module")
def key():
    return Key("first")


@pytest.fixture
def provider(key):
    made = Provider(key)
    yield made
    made.close()


def submit(server, token, **headers):
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return server.client(None).post("/job", job("type:ping"), headers=headers)


def test_a_token_names_the_caller_and_nothing_else_does(new_server, provider, key):
    server = new_server(config=provider.config()).start()
    answer = submit(server, key.token(provider.claims()))
    assert answer.status == 200 and answer.json["user"] == "alice"
    good = key.token(provider.claims())
    for token in (None, "", "x", good[:-4], good[:-4] + "AAAA", good.replace(".", "", 1), key.token(provider.claims(exp=1)),
                  key.token(provider.claims(aud="other")), key.token(provider.claims(iss="http://evil.example.com")),
                  key.token(provider.claims(sub="")), Key("first").token(provider.claims())):
        refused = submit(server, token, **{"X-Heimdall-User": "admin"})
        assert refused.status == 401 and refused.json["error"], (token, refused)
    assert server.client(None).get("/jobs").json["data"][0]["user"] == "alice"


def test_keys_may_change_and_the_provider_may_go(new_server, provider, key):
    server = new_server(config=provider.config()).start()
    old, second = key.token(provider.claims()), Key("second")
    assert submit(server, old).status == 200
    provider.answer(second)
    new = second.token(provider.claims(sub="bob"))
    wait_until(lambda: submit(server, new).status == 200, "the new key to count")
    assert submit(server, old).status == 401, "the old key is gone"
    provider.close()
    assert submit(server, new).json["user"] == "bob"


def test_while_there_are_no_keys_callers_are_asked_to_come_again(new_server, provider, key):
    provider.document = b"<html>down for maintenance</html>"
    server = new_server(config=provider.config()).start()
    token = key.token(provider.claims())
    answer = submit(server, token)
    assert answer.status == 503 and answer.headers["Retry-After"] and answer.json["error"], answer
    assert server.client(None).get("//readyz").status == 200 and server.client(None).get("/jobs").status == 200
    provider.answer(key)
    wait_until(lambda: submit(server, token).status == 200, "the keys to be there")
