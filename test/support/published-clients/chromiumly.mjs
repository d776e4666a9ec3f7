import { Chromiumly, HtmlConverter, PDFEngines, UrlConverter, UrlScreenshot } from 'chromiumly';

const { SERVICE, USER, TOKEN, PAGE } = process.env;
Chromiumly.configure({ endpoint: SERVICE, username: USER, password: TOKEN });
const start = async (file) => Buffer.from(await file).toString('latin1', 0, 4);
const page = Buffer.from(await new HtmlConverter().convert({ html: Buffer.from('<p>a') }));
const files = [page, page];
const merged = Buffer.from(await PDFEngines.merge({ files, pdfa: 'PDF/A-2b' }));
const titled = Buffer.from(await PDFEngines.writeMetadata({ files: [merged], metadata: { Title: 'Both' } }));
// Version 6 has other arguments, and more functions.
const isNew = PDFEngines.encrypt !== undefined;
const metadata = await PDFEngines.readMetadata(isNew ? { files: [titled] } : [titled]);
process.stdout.write(
  JSON.stringify({
    html: await start(new HtmlConverter().convert({ html: Buffer.from('<p>a') })),
    url: await start(new UrlConverter().convert({ url: PAGE })),
    merged: await start(merged),
    title: JSON.stringify(JSON.parse(metadata)).includes('"Title":"Both"'),
    split: await start(PDFEngines.split({ files: [merged], options: { mode: 'intervals', span: '1' } })),
    ...(isNew && {
      flat: await start(PDFEngines.flatten([merged])),
      locked: await start(PDFEngines.encrypt({ files: [merged], options: { userPassword: 'p' } })),
    }),
    picture: await start(new UrlScreenshot().capture({ url: PAGE })),
  }),
);
