import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVideo } from '../../fidelity/pages/webm.ts';
import type { Colour } from '../../support/colour.ts';
import { createFixtureSite, type FixtureSite } from '../../support/fixture-site.ts';
import { capture } from '../../support/http.ts';
import { send, sendHtml } from '../../support/pages/exchange.ts';
import { expectColour, type Picture, readPicture } from '../../support/pixels.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

const GREEN: Colour = [0, 160, 0];
const RED: Colour = [255, 0, 0];
const POSTER =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='160' height='160'><rect width='160' height='160' fill='rgb(0,160,0)'/></svg>";

describe('a picture of something that moves', () => {
  let site: FixtureSite;
  let service: SharedService;
  beforeAll(async () => {
    [site, service] = await Promise.all([
      createFixtureSite({
        moreRoutes: {
          '/red.webm': async ({ response }) =>
            send(response, { type: 'video/webm', body: await createVideo([RED, [0, 0, 255]]) }),
          '/film': ({ response, url }) =>
            sendHtml(
              response,
              `<style>body { margin: 0 }</style><video src="/red.webm" style="display:block" ${url.searchParams.get('with')}></video>`,
            ),
        },
      }),
      sharedService(),
    ]);
  });
  afterAll(() => site.close());

  const pictureOf = async (fields: object): Promise<Picture> => {
    const answer = await capture(service.url, { window_width: 200, window_height: 200, ...fields });
    return await readPicture(answer.body);
  };

  it.each([
    ['the poster of a video that nobody has started', `poster="${POSTER}" preload=metadata`, GREEN],
    ['the poster of a video that is loaded', `poster="${POSTER}" preload=auto`, GREEN],
    ['the first frame of a video that plays', `poster="${POSTER}" autoplay muted loop`, RED],
    ['the first frame of a video without a poster', 'preload=auto', RED],
  ])('shows %s', async (_what, attributes, colour) => {
    const picture = await pictureOf({ url: site.url(`/film?with=${encodeURIComponent(attributes)}`) });

    const [red, green] = picture.pixel(80, 80);
    expect(Math.abs(red - colour[0]) + Math.abs(green - colour[1])).toBeLessThan(20);
  });

  it.each([
    ['the usual time', ''],
    [
      'a long time',
      '::view-transition-group(*), ::view-transition-old(*), ::view-transition-new(*) { animation-duration: 20s }',
    ],
  ])('shows a view transition that takes %s after its end', async (_time, rules) => {
    const picture = await pictureOf({
      html_content: `<style>body { margin: 0 } div { width: 100px; height: 100px; background: red; view-transition-name: box } .end { margin: 100px 0 0 100px; background: rgb(0 160 0) } ${rules}</style><div></div><script>
        setTimeout(() => document.startViewTransition(() => { document.querySelector('div').className = 'end'; }), 50);
      </script>`,
    });

    expectColour(picture, 150, 150, GREEN);
    expectColour(picture, 50, 50, [255, 255, 255]);
  });
});
