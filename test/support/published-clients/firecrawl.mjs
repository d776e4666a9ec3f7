import { setTimeout as delay } from 'node:timers/promises';
import Firecrawl from '@mendable/firecrawl-js';

const { SERVICE, TOKEN, PAGE, AWAY } = process.env;
const client = new Firecrawl({ apiKey: TOKEN, apiUrl: SERVICE });
const scraped = await client.scrape(PAGE, { formats: ['markdown', 'links'] });
const batch = await client.batchScrape([PAGE, AWAY], { options: { formats: ['markdown'] }, pollInterval: 1 });
const { id = batch.id } = batch.id === undefined ? await client.startBatchScrape([AWAY]) : batch;
while ((await client.getBatchScrapeStatus(id)).status === 'scraping') await delay(100);
const { errors } = await client.getBatchScrapeErrors(id);
const mapped = await client.map(PAGE);
const crawl = await client.crawl(PAGE).catch((error) => error.message);
const credits = await client.getCreditUsage();
process.stdout.write(
  JSON.stringify({
    scraped: scraped.markdown,
    batch: [batch.status, batch.data.map(({ markdown }) => markdown)],
    errors: errors.map(({ url }) => url === AWAY),
    mapped: mapped.links.map((link) => link.url ?? link),
    crawl: /\/batch\/scrape/.test(crawl),
    credits: credits.remainingCredits > 0,
  }),
);
