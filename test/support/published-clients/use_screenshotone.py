import json
import os
import urllib.request
from urllib.parse import urlsplit

from screenshotone import Client, TakeOptions

client = Client(os.environ["USER"], os.environ["SIGNING_SECRET"])
link = client.generate_take_url(TakeOptions.url(os.environ["PAGE"]).format("jpg").viewport_width(300))
with urllib.request.urlopen(f"{os.environ['SERVICE']}/take?{urlsplit(link).query}") as answer:
    print(json.dumps({"status": answer.status, "type": answer.headers["content-type"]}))
