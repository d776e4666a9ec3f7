// A process that replaces one stored file: `node write-often.ts <folder> <path> <digit> <times>`. The type names the
// digit of the bytes.
import { createFileStorage } from '../../src/parts/storage/file-storage.ts';

const [folder = '', path = '', digit = '', times = ''] = process.argv.slice(2);
const storage = createFileStorage({ folder, linkTtlSeconds: 60 });
for (let left = Number(times); left > 0; left--) {
  await storage.put(path, Buffer.alloc(20_000, digit), `text/${digit}`);
}
