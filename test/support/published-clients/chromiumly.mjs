import { Chromiumly, HtmlConverter, UrlConverter, UrlScreenshot } from 'chromiumly';

const { SERVICE, USER, TOKEN, PAGE } = process.env;
Chromiumly.configure({ endpoint: SERVICE, username: USER, password: TOKEN });
const start = async (file) => Buffer.from(await file).toString('latin1', 0, 4);
process.stdout.write(
  JSON.stringify({
    html: await start(new HtmlConverter().convert({ html: Buffer.from('<p>a') })),
    url: await start(new UrlConverter().convert({ url: PAGE })),
    picture: await start(new UrlScreenshot().capture({ url: PAGE })),
  }),
);
