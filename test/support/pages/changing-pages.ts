const rows = Array.from({ length: 60 }, (_, row) => `<tr><td>Item ${row}<td>${row * 3}.00`).join('');
const sections = Array.from({ length: 6 }, (_, part) => `<section><p class=part>Part ${part}</p></section>`).join('');

/** Bodies of pages that differ each time that they are loaded, by their kinds. */
export const CHANGING_PAGES: Readonly<Record<string, string>> = {
  date: `<p id=a></p><script>a.textContent = [new Date(), Date(), Date.now(), performance.now(), performance.timeOrigin,
    new Intl.DateTimeFormat('de', { timeStyle: 'long' }).format(), document.lastModified,
    JSON.stringify(performance.timing), Temporal.Now.instant(), new Event('x').timeStamp].join(' ')</script>`,
  random: `<p id=a></p><canvas id=c width=200 height=60></canvas><script>a.textContent = Math.random() + ' ' +
    crypto.getRandomValues(new Uint32Array(4)).join(); const draw = c.getContext('2d');
    for (let k = 0; k < 99; k++) draw.fillRect(Math.random() * 200, Math.random() * 60, 4, 4)</script>`,
  clock: `<p id=a></p><script>const show = () => a.textContent = new Date().toISOString(); show();
    setInterval(show, 1000)</script>`,
  ticks: `<p id=a></p><script>let n = 0; setInterval(() => a.textContent = ++n, 50)</script>`,
  loop: `<canvas id=c width=120 height=120></canvas><script>const draw = c.getContext('2d'); function turn(time) {
    draw.clearRect(0, 0, 120, 120); draw.save(); draw.translate(60, 60); draw.rotate(time / 700);
    draw.fillRect(-50, -8, 100, 16); draw.restore(); requestAnimationFrame(turn) } requestAnimationFrame(turn)</script>`,
  count: `<p id=a></p><script>const began = performance.now(); (function step() { const share = Math.min(1,
    (performance.now() - began) / 1500); a.textContent = Math.round(share * 12345);
    if (share < 1) requestAnimationFrame(step) })()</script>`,
  frames: `<p id=a></p><script>let n = 0; (function step(time) { a.textContent = ++n + ' ' + time; requestAnimationFrame(step) })()</script>`,
  follower: `<p id=a></p><script>let x = 0; (function step() { a.textContent = x += (800 - x) * 0.02; requestAnimationFrame(step) })()</script>`,
  load: `<p id=a></p><script>onload = () => { const [entry] = performance.getEntriesByType('navigation');
    a.textContent = 'loaded in ' + [performance.now(), entry.duration, entry.responseEnd].join(' ') }</script>`,
  worker: `<p id=a></p><script>const text = 'postMessage([Date.now(), Math.random(), performance.now()].join(" "))';
    new Worker(URL.createObjectURL(new Blob([text]))).onmessage = ({ data }) => a.textContent = data</script>`,
  frame: `<iframe srcdoc="<p id=a></p><script>setInterval(() => a.textContent = Date.now() + Math.random(), 100)</script>"></iframe>`,
  table: `<h1>Invoice</h1><table><thead><tr><th>Item<th>Price</thead>${rows}</table><p id=a></p><script>a.textContent =
    new Date().toLocaleDateString('de'); for (let k = 0; k < (performance.now() * 1e6) % 99; k++)
    document.createElement('b')</script>`,
  scroll: `<style>section { height: 400px } .part { opacity: 0 }</style>${sections}<script>
    for (const part of document.querySelectorAll('.part')) new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting || part.began) return; part.began = performance.now(); (function step() {
    const share = Math.min(1, (performance.now() - part.began) / 300); part.style.opacity = share;
    if (share < 1) requestAnimationFrame(step) })() }).observe(part)</script>`,
  late: `<p id=a></p><script>setTimeout(() => a.textContent = Date.now() + ' ' + Math.random(), 1200)</script>`,
};
