/**
 * Resolves after two animation frames, so that earlier tasks are done: a submitted form, the end of a scroll. Uses two
 * timers if frames are rare. Runs in the page.
 */
export async function twoFrames(): Promise<void> {
  for (let frames = 0; frames < 2; frames++) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100);
    });
  }
}
