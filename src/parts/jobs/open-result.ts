import { checkFile } from '../storage/checked-file.ts';
import type { Storage, StoredFile } from '../storage/storage.ts';
import { isReplaced, type JobResult } from './job.ts';

/**
 * Opens the file of a result. Undefined if it is missing or was replaced. The caller reads the body to its end, or
 * destroys it.
 * @throws ServiceError StorageError if the bytes differ from what was written
 */
export async function openResult(result: JobResult, storage: Storage): Promise<StoredFile | undefined> {
  const file = await storage.get(result.path);
  if (file === undefined) return undefined;
  if (result.sha256 !== undefined) return await checkFile(file, { ...result, sha256: result.sha256 });
  if (!isReplaced(result, file)) return file;
  file.body.destroy();
  return undefined;
}
