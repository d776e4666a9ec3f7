// Child process that encodes one picture.
import { type Call, serveCalls } from '../../../processes/peer-calls.ts';
import { encode, type Encoding, type Pieces } from './encode.ts';

serveCalls({ run: ({ args: [pieces, encoding] }: Call<[Pieces, Encoding]>) => encode(pieces, encoding) });
