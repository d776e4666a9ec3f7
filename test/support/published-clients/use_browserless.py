import json
import os

import django
from django.conf import settings

service, token, page = (os.environ[name] for name in ("SERVICE", "TOKEN", "PAGE"))
settings.configure(
    BROWSERLESS={"API_TOKEN": token, "PDF_URL": f"{service}/pdf"},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
)
django.setup()

from django_browserless import pdf  # noqa: E402  it reads the settings

print(json.dumps({"url": pdf.from_url(page)[:4].decode()}))
