import { describe, expect, it } from 'vitest';
import type { ResultRoom } from '../../../../src/core/browser/pipe/result-buffer.ts';
import { MAX_MESSAGE_BYTES, READ_LIMITS } from '../../../../src/core/browser/pipe/received-events.ts';
import { createIncomingMessage, type PipeMessage } from '../../../../src/core/browser/pipe/pipe-message.ts';

const SESSION = 'A'.repeat(32);
const END = `},"sessionId":"${SESSION}"}`;
const ROOM: ResultRoom = {
  maxBytes: 1_000,
  take: () => true,
  give: () => undefined,
  addGarbage: () => undefined,
};

describe('a browser message', () => {
  it('is routed by its session without being parsed', () => {
    const message = receive([`{"method":"Network.webSocketFrameError","params":{"data":"${'x'.repeat(500)}"${END}`]);

    expect(message).toMatchObject({ text: undefined, sessionId: SESSION, isTooLarge: false });
  });

  it.each([1, 7, 47, 48, 95, 96, 97])('is the same in chunks of %i bytes', (size) => {
    const text = `{"method":"Page.frameNavigated","params":{"a":"${'x'.repeat(150)}"${END}`;

    const message = receive(text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []);

    expect(message).toMatchObject({ text, sessionId: SESSION, length: text.length });
  });

  // A page chooses URLs, names and texts. As strings in JSON they must not be parsed as protocol fields.
  it('is not routed by a session that a page writes into it', () => {
    const forged = JSON.stringify(`","sessionId":"${'B'.repeat(32)}"}`);

    expect(receive([`{"method":"Target.targetInfoChanged","params":{"title":${forged}}}`]).sessionId).toBeUndefined();
  });

  it.each([
    ['an event', '{"method":"Network.requestWillBeSent","params":{"url":"', READ_LIMITS.event.stringBytes],
    ['an answer', '{"id":7,"result":{"value":"', READ_LIMITS.answer.stringBytes],
  ])('is truncated if it is long: %s', (_what, begin, longest) => {
    const message = receive([begin, ...chunks(20), `"${END}`]);

    expect(message.text?.length).toBe(begin.length + longest + 1 + END.length);
    expect(JSON.parse(message.text ?? '')).toMatchObject({ sessionId: SESSION });
  });

  it('is too large if it has too many parts to truncate', () => {
    const parts = Array.from({ length: 200_000 }, (_, index) => `"header ${index}":"value",`).join('');

    const message = receive([`{"method":"Network.responseReceived","params":{${parts}"a":1${END}`]);

    expect(message).toMatchObject({ text: undefined, sessionId: SESSION, isTooLarge: true });
  });

  // One WebSocket frame, 540 MB of JSON, ended the process: toString threw.
  it.each(['Network.webSocketFrameSent', 'Network.requestWillBeSent'])(
    'is too large beyond a limit, and is not buffered meanwhile: %s',
    (event) => {
      const message = createIncomingMessage(ROOM);
      message.add(Buffer.from(`{"method":"${event}","params":{"a":"`));
      const piece = Buffer.alloc(1_048_576, 'x');
      const before = process.memoryUsage().arrayBuffers;
      for (let sent = 0; sent <= MAX_MESSAGE_BYTES; sent += piece.length) message.add(piece);

      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * piece.length);
      message.add(Buffer.from(`"${END}`));
      expect(message.finish()).toMatchObject({ isTooLarge: true, sessionId: SESSION });
    },
  );

  it('contains a picture of the maximum size', () => {
    const message = receive([pictureOf(ROOM.maxBytes)]);

    expect(message.bytes?.value).toMatchObject({ outcome: 'whole', bytes: Buffer.alloc(ROOM.maxBytes, 7) });
  });

  it('contains a chunk of a document', () => {
    const base64 = Buffer.alloc(100, 7).toString('base64');
    const message = receive([`{"id":3,"result":{"base64Encoded":true,"data":"${base64}","eof":false${END}`]);

    expect(message.bytes?.value).toMatchObject({ outcome: 'whole', bytes: Buffer.alloc(100, 7) });
    expect(message.text).toContain('"eof":false');
    expect(message.text).not.toContain(base64);
  });

  it('contains a chunk of a text, whatever is escaped in it', () => {
    const text = '<svg class="a">\n\\é 🙂</svg>'.repeat(20);
    const message = receive([
      `{"id":3,"result":{"base64Encoded":false,"data":${JSON.stringify(text)},"eof":true${END}`,
    ]);

    expect(message.bytes?.value).toMatchObject({ outcome: 'whole', bytes: Buffer.from(text) });
    expect(message.text).toContain('"eof":true');
  });

  it.each([
    ['too large', pictureOf(ROOM.maxBytes + 1), ROOM],
    ['no room', pictureOf(10), { ...ROOM, take: () => false }],
  ])('contains no picture if there is %s', (outcome, text, room) => {
    expect(receive([text], room).bytes?.value.outcome).toBe(outcome);
  });

  it('releases all memory that it counted, whatever it contained', () => {
    let taken = 0;
    const room: ResultRoom = {
      maxBytes: 3_000_000,
      take: (bytes) => (taken + bytes > 2_500_000 ? false : (taken += bytes) > 0),
      give: (bytes) => void (taken -= bytes),
      addGarbage: () => undefined,
    };
    for (const bytes of [10, 1_500_000, 2_900_000]) receive([pictureOf(bytes)], room).bytes?.value.give();

    expect(taken).toBe(0);
  });
});

function receive(pieces: readonly string[], room: ResultRoom = ROOM): PipeMessage {
  const message = createIncomingMessage(room);
  for (const piece of pieces) message.add(Buffer.from(piece));
  return message.finish();
}

function chunks(megabytes: number): string[] {
  return Array.from({ length: megabytes }, () => 'x'.repeat(1_048_576));
}

function pictureOf(bytes: number): string {
  return `{"id":3,"result":{"data":"${Buffer.alloc(bytes, 7).toString('base64')}"${END}`;
}
