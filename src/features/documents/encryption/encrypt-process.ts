// Child process that encrypts one document.
import { type Call, serveCalls } from '../../../core/processes/peer-calls.ts';
import { encrypt, type Lock } from './encrypt.ts';

serveCalls({ run: ({ args: [body, lock] }: Call<[Uint8Array, Lock]>) => encrypt(body, lock) });
