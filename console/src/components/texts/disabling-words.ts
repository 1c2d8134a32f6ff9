/** Why the gateway disabled a channel, in the reader's language. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import {
  type DisablingKind,
  readDisablingReason,
} from "@tollgate/contract/catalogue/disabling-reasons.ts";

const words: Readonly<Record<DisablingKind, (first: string, second: string) => MessageDescriptor>> =
  {
    key_refused: (code) => msg`The provider refused the key: ${code}`,
    test_failed: (message) => msg`Channel test failed: ${message}`,
    test_slow: (took, limit) => msg`The test took ${took} s; the limit is ${limit} s`,
    not_covered: (calls) =>
      msg`${calls} calls within a day cost more than hold, balance and debt cover`,
  };

/** A reason of another version or server stays as it is. */
export function writeReason(
  reason: string,
  translate: (message: MessageDescriptor) => string,
): string {
  const read = readDisablingReason(reason);
  if (read === undefined) return reason;
  const [first, second = ""] = read.values;
  const why = translate(words[read.kind](first, second));
  return read.isOfLastKey ? translate(msg`No key is left. ${why}`) : why;
}
