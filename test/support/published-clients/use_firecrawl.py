import json
import os

import firecrawl

service, token, page, away = (os.environ[name] for name in ("SERVICE", "TOKEN", "PAGE", "AWAY"))
client = firecrawl.Firecrawl(api_key=token, api_url=service)
scraped = client.scrape(page, formats=["markdown", "links"])
batch = client.batch_scrape([page, away], formats=["markdown"], poll_interval=1)
mapped = client.map(page)
try:
    client.crawl(page, limit=1)
    crawl = ""
except Exception as error:
    crawl = str(error)
print(
    json.dumps(
        {
            "scraped": scraped.markdown,
            "batch": [batch.status, [document.markdown for document in batch.data]],
            "mapped": [link.url for link in mapped.links],
            "crawl": "/batch/scrape" in crawl,
        }
    )
)
