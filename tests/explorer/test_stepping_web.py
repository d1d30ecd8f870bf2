"""The walk by hand in a browser: the address is the state, and only who has the token, on this machine, is answered."""

import http.client
import re
import socket
import struct
import threading
import time
from html import unescape

import pytest
from highwater.explorer.command_line import step_web
from support.elsewhere import output_of
from support.stepping import served


@pytest.fixture(scope="module")
def site():
    with served() as found:
        yield found


@pytest.fixture
def walks(site):
    return site[0]


@pytest.fixture
def server(site):
    return site[1]


def get(server, path, host=None, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.headers


def links(text):
    return {unescape(name): unescape(address) for address, name in re.findall(r'<a href="([^"]*)">([^<]*)</a>', text)}


def test_steps_are_links_and_undo_is_one(walks, server):
    status, text, headers = get(server, f"/{walks.token}/")
    assert status == 200 and "step 0: the beginning" in text and "default-src 'none'" in text
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    first = links(text)["controller_shrink_isr broker=0"]
    assert first == f"/{walks.token}/1#1"
    status, text, _ = get(server, first.partition("#")[0])
    assert status == 200 and "controller_shrink_isr broker=0" in text and links(text)["undo"] == f"/{walks.token}/#0"


def test_the_questions(walks, server):
    _, text, _ = get(server, f"/{walks.token}/1?why=leader_write")
    assert "leader_write leader=0 is not enabled: the guard" in text
    _, text, _ = get(server, f"/{walks.token}/?nearest=weak_isr")
    end = links(text)["weak_isr: 8 steps from here"]
    status, text, _ = get(server, end.partition("#")[0])
    assert status == 200 and "weak_isr is violated here" in text
    for question, said in (("why=nothing", "has no action"), ("why=%20", "has no action"), ("nearest=nothing", "no property")):
        status, text, _ = get(server, f"/{walks.token}/?{question}")
        assert status == 404 and said in unescape(text)


def test_only_who_has_the_token_and_asks_for_this_machine_is_answered(walks, server):
    for path in ("/", "/wrong/", f"/{walks.token}x/1", "//", "/\u20ac"):
        status, text, _ = get(server, path.encode("ascii", "ignore").decode())
        assert status == 404 and "ol>" not in text
    assert get(server, f"/{walks.token}/", host="evil.example")[0] == 403
    assert get(server, f"/{walks.token}/", host=f"localhost:{server.server_port}")[0] == 200
    assert get(server, f"/{walks.token}/", method="POST")[0] == 501


def test_an_address_that_cannot_be_parsed_is_answered(server):
    status, text, _ = get(server, "http://[", host=f"127.0.0.1:{server.server_port}")
    assert status == 404 and "This is not an address." in text


@pytest.mark.parametrize("rest", ["99", "x", "1/2", "1.-1", ".".join(["1"] * 600), "%00", "<script>"])
def test_an_address_that_is_none_is_a_sentence(walks, server, rest):
    status, text, _ = get(server, f"/{walks.token}/{rest}")
    assert status == 404 and "<script>" not in text and "Traceback" not in text


def test_a_port_that_is_taken(server, capsys):
    command = ["step", "--model", "published", "--revision", "kip-320", "--web", "--port", str(server.server_port)]
    assert "cannot be used" in output_of(capsys, 2, command).err


def test_connections_that_are_cut_print_nothing(walks, server, capfd):
    for sent in (b"", b"GET /", f"GET /{walks.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode()):
        link = socket.create_connection(("127.0.0.1", server.server_port))
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it is reset, not closed
        link.sendall(sent)
        link.close()
    time.sleep(0.5)
    assert get(server, f"/{walks.token}/")[0] == 200
    assert capfd.readouterr() == ("", "")


def test_idle_connections_hold_few_threads_and_not_for_ever(walks, server, monkeypatch):
    monkeypatch.setattr(server.RequestHandlerClass, "timeout", 1.0)
    before, links = threading.active_count(), []
    for _ in range(200):
        links.append(socket.create_connection(("127.0.0.1", server.server_port)))
    time.sleep(0.3)
    assert threading.active_count() - before <= step_web.MOST
    until = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.1)
    assert threading.active_count() <= before
    assert get(server, f"/{walks.token}/")[0] == 200
    for link in links:
        link.close()
