/**
 * Resolves when the page has had two frames, and with them the tasks that lay before it: a form that is on its way, the end of a scroll.
 * Where frames are rare, at two timers instead. Runs in the page.
 */
export async function twoFrames(): Promise<void> {
  for (let frames = 0; frames < 2; frames++) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 100);
    });
  }
}
