"""Where the server of S3 is that a test may start: known before, so that executors of the one session can be told."""

import socket


def free_port():
    """A port that no one listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


PORT, STORE_PORT = free_port(), free_port()
"""Of the proxy, and of the store behind it."""

ENVIRONMENT = {
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{PORT}", "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_EC2_METADATA_DISABLED": "true",
}  # fmt: skip
