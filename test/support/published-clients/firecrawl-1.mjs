import Firecrawl from '@mendable/firecrawl-js';

const { SERVICE, TOKEN, PAGE } = process.env;
const client = new Firecrawl({ apiKey: TOKEN, apiUrl: SERVICE });
const scraped = await client.scrapeUrl(PAGE, { formats: ['markdown', 'links'] });
const batch = await client.batchScrapeUrls([PAGE, `${PAGE}?2`], { formats: ['markdown'] });
const mapped = await client.mapUrl(PAGE);
const crawl = await client.crawlUrl(PAGE).catch((error) => error.message);
process.stdout.write(
  JSON.stringify({
    scraped: scraped.markdown,
    batch: [batch.status, batch.data.map(({ markdown }) => markdown)],
    mapped: mapped.links,
    crawl: /\/batch\/scrape/.test(JSON.stringify(crawl)),
  }),
);
