import type { Page } from '../../core/browser/page/page.ts';
import type { BlockedRequest } from '../../core/steps/common/blocked-requests.ts';
import { inFrame, type KnownFrame, listFrames, worldOf } from '../../core/steps/common/list-frames.ts';
import type { PlainStep } from '../../core/steps/common/step.ts';
import { hideEmptyFrame } from './in-page/hide-empty-frame.ts';
import { hideEmptyPictures } from './in-page/hide-empty-pictures.ts';

const MAX_FRAMES = 100; // maximum number of frames with hidden pictures or frames

/**
 * Hides blocked pictures and frames. Otherwise a picture shows its broken icon and alternative text, and a frame its
 * border and, in full Chrome, an error page. Does nothing without newly blocked requests.
 */
export const hideBlocked: PlainStep = {
  name: 'hide-blocked',
  apply: async (page, _options, { isPainted, blocked }) => {
    if (!isPainted) return;
    const kept = blocked.takeVisible();
    if (kept.length === 0) return;
    const frames = await listFrames(page);
    const [documents, pictures] = [kept.filter(isDocument), kept.filter((each) => !isDocument(each))];
    const byFrame = Object.groupBy(pictures, ({ frameId }) => frameId ?? page.mainFrameId);
    await Promise.all([
      ...documents.slice(-MAX_FRAMES).map((each) => hideFrame(page, frames, each)),
      ...Object.entries(byFrame)
        .slice(-MAX_FRAMES)
        .map(([frameId, inside = []]) => hidePictures(page, frames.get(frameId), inside)),
    ]);
  },
};

async function hideFrame(
  page: Page,
  frames: ReadonlyMap<string, KnownFrame>,
  { frameId = '', keepsPlace }: BlockedRequest,
): Promise<void> {
  const parent = frames.get(frames.get(frameId)?.parentId ?? '');
  if (parent === undefined) return;
  const world = worldOf(page, parent);
  await inFrame(
    page,
    parent.session,
    world.frameElement(frameId).then((element) => world.callOn(element, hideEmptyFrame, keepsPlace !== false)),
  );
}

async function hidePictures(
  page: Page,
  frame: KnownFrame | undefined,
  pictures: readonly BlockedRequest[],
): Promise<void> {
  if (frame === undefined) return;
  const addresses = pictures.map(({ url, keepsPlace }) => ({ url, keepsPlace }));
  await inFrame(page, frame.session, worldOf(page, frame).evaluate(hideEmptyPictures, addresses));
}

function isDocument({ resourceType }: BlockedRequest): boolean {
  return resourceType === 'Document';
}
