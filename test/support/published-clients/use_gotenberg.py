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
print(json.dumps({"health": health.overall.value, "html": html[:4].decode(), "url": url[:4].decode()}))
