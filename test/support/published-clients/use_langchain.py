import json
import os

from langchain_community.document_loaders.firecrawl import FireCrawlLoader

loader = FireCrawlLoader(
    url=os.environ["PAGE"], api_key=os.environ["TOKEN"], api_url=os.environ["SERVICE"], mode="scrape"
)
print(json.dumps({"scraped": loader.load()[0].page_content}))
