/**
 * Names the words of a message in the parts of a catalogue: a hash of its English text (FNV-1a, 32
 * bits), which the console computes itself, so that no id stands in the code. The build refuses two
 * texts of one key (`word-parts.ts`).
 */
export function composeMessageKey(message: string): string {
  let hash = 0x811c9dc5;
  for (let place = 0; place < message.length; place += 1)
    hash = Math.imul(hash ^ message.charCodeAt(place), 0x01000193);
  return (hash >>> 0).toString(36);
}
