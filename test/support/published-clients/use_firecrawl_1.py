import json
import os

from firecrawl import FirecrawlApp

service, token, page = (os.environ[name] for name in ("SERVICE", "TOKEN", "PAGE"))
client = FirecrawlApp(api_key=token, api_url=service)
scraped = client.scrape_url(page, params={"formats": ["markdown", "links"]})
batch = client.batch_scrape_urls([page, f"{page}?2"], params={"formats": ["markdown"]}, poll_interval=1)
mapped = client.map_url(page)
print(
    json.dumps(
        {
            "scraped": scraped["markdown"],
            "batch": [batch["status"], [document["markdown"] for document in batch["data"]]],
            "mapped": mapped["links"],
        }
    )
)
