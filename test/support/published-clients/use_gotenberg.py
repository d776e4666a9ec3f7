import json
import os
import tempfile
from pathlib import Path

from gotenberg_client import GotenbergClient

service, user, token, page = (os.environ[name] for name in ("SERVICE", "USER", "TOKEN", "PAGE"))
with GotenbergClient(service) as client:
    client.add_headers({"Authorization": f"Bearer {token}"})
    health = client.health.health()
    file = Path(tempfile.mkdtemp()) / "index.html"
    file.write_text("<p>a")
    with client.chromium.html_to_pdf() as route:
        html = route.index(file).run().content
    with client.chromium.url_to_pdf() as route:
        url = route.url(page).run().content
    first = file.with_name("first.pdf")
    first.write_bytes(html)
    with client.merge.merge() as route:
        merged = route.merge([first, first]).run().content
    both = file.with_name("both.pdf")
    both.write_bytes(merged)
    with client.split.split() as route:
        split = route.split_files([both]).split_mode("intervals").split_span("1").run().content
    with client.flatten.flatten() as route:
        flat = route.flatten_files([both]).run().content
files = {"html": html, "url": url, "merged": merged, "split": split, "flat": flat}
print(json.dumps({"health": health.overall.value} | {name: body[:4].decode() for name, body in files.items()}))
