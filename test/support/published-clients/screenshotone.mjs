import { Client, TakeOptions } from 'screenshotone-api-sdk';

const { SERVICE, USER, SIGNING_SECRET, PAGE } = process.env;
const client = new Client(USER, SIGNING_SECRET);
const link = new URL(await client.generateSignedTakeURL(TakeOptions.url(PAGE).format('jpg').viewportWidth(300)));
const answer = await fetch(`${SERVICE}/take${link.search}`);
process.stdout.write(JSON.stringify({ status: answer.status, type: answer.headers.get('content-type') }));
