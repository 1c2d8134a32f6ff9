/** The models of a provider that a new channel offers at first. Pure. */

export interface PricedName {
  name: string;
  /** US dollars per million tokens; null for a model without a known price. */
  input_price: number | null;
}

/** Above this, a list of unknown names is a catalogue from which the administrator chooses. */
const unknownNamesMax = 50;

/**
 * Snapshots of a day, previews and fine-tuned models stand beside the name that most clients use.
 */
const isVariant = (name: string): boolean =>
  /\d{4}-?\d{2}-?\d{2}|-\d{4}$|preview|experimental|^ft:|:free$/.test(name);
const isNoChat = (name: string): boolean =>
  /embed|whisper|tts|dall-e|image|imagen|veo|sora|moderation|rerank|audio|realtime|transcribe|speech|guard/.test(
    name,
  );

/** Models with a known price, under their undated names; all of a short list when none is known. */
export function collectUsualModels(models: readonly PricedName[]): ReadonlySet<string> {
  const known = models.filter(({ name, input_price }) => input_price !== null && !isVariant(name));
  const chosen = known.length > 0 ? known : models.length <= unknownNamesMax ? models : [];
  return new Set(chosen.map(({ name }) => name));
}

/** The cheapest model that can answer a question, of the usual ones if there are any. */
export function findModelToAsk(
  models: readonly (PricedName & { is_usual: boolean })[],
): string | undefined {
  const able = models.filter(({ name }) => !isNoChat(name));
  const usual = able.filter(({ is_usual }) => is_usual);
  const pool = usual.length > 0 ? usual : able;
  const price = ({ input_price }: PricedName): number => input_price ?? Number.MAX_VALUE;
  return pool.toSorted((a, b) => price(a) - price(b))[0]?.name;
}
