import { FireCrawlLoader } from '@langchain/community/document_loaders/web/firecrawl';

const { SERVICE, TOKEN, PAGE } = process.env;
const loader = new FireCrawlLoader({ url: PAGE, apiKey: TOKEN, apiUrl: SERVICE, mode: 'scrape' });
const [document] = await loader.load();
process.stdout.write(JSON.stringify({ scraped: document.pageContent }));
