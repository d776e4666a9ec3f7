// The child process of all comparisons.
import { type Call, serveCalls } from '../processes/peer-calls.ts';
import { type CompareCall, comparePictures, type CompareResult } from './pictures/compare-pictures.ts';

serveCalls({ run: ({ args: [call] }: Call<[CompareCall]>): Promise<CompareResult> => comparePictures(call) });
