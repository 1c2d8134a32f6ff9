/** The usage of a realtime session, read from the provider's events. */
import { buckets, noUsage, type Usage } from "../../money/prices/price.ts";
import { findTokenCount } from "../formats/usage/reported-usage.ts";
import { type JsonRecord, record, text } from "../wire/json-parts.ts";

const bytesPerTextToken = 4;
/** A token is 50 ms of output audio; a second of it is 48,000 bytes, sent as base64. */
const charactersPerAudioToken = 3_200;
/** A token is 100 ms of input audio. */
const charactersPerInputAudioToken = 6_400;
const transcription = "conversation.item.input_audio_transcription.";

/**
 * More than any session has: a larger count is no count, because no ceiling of a model bounds a
 * session.
 */
const tokensMax = 100_000_000;

const boundCount = (value: unknown): number | undefined => {
  const tokens = findTokenCount(value);
  return tokens !== undefined && tokens <= tokensMax ? tokens : undefined;
};
const count = (value: unknown): number => boundCount(value) ?? 0;

/** Disjoint buckets of one response's usage; undefined when it reports no counts. */
export function findRealtimeUsage(wire: unknown): Usage | undefined {
  const reported = record(wire);
  const prompt = boundCount(reported.input_tokens);
  const answer = boundCount(reported.output_tokens);
  if (prompt === undefined || answer === undefined) return undefined;
  const inputDetails = record(reported.input_token_details);
  const cached = record(inputDetails.cached_tokens_details);
  let left = prompt;
  /** Caps each part, so that the buckets add up to the reported total. */
  const take = (tokens: number): number => {
    const taken = Math.min(tokens, left);
    left -= taken;
    return taken;
  };
  const cache_read_audio = take(
    Math.min(count(cached.audio_tokens), count(inputDetails.audio_tokens)),
  );
  const cache_read_image = take(
    Math.min(count(cached.image_tokens), count(inputDetails.image_tokens)),
  );
  const input_audio = take(count(inputDetails.audio_tokens) - cache_read_audio);
  const input_image = take(count(inputDetails.image_tokens) - cache_read_image);
  // Cached tokens without a kind are text.
  const cache_read = take(
    Math.max(0, count(inputDetails.cached_tokens) - cache_read_audio - cache_read_image),
  );
  const output_audio = Math.min(count(record(reported.output_token_details).audio_tokens), answer);
  const usage = { ...noUsage, input: left, cache_read, output: answer - output_audio };
  const sound = { input_audio, input_image, cache_read_audio, cache_read_image, output_audio };
  return {
    ...usage,
    ...Object.fromEntries(Object.entries(sound).filter(([, tokens]) => tokens > 0)),
  };
}

function sumUsages(one: Usage, other: Usage): Usage {
  const sum: Usage = { ...one };
  for (const bucket of buckets) if (other[bucket]) sum[bucket] = (sum[bucket] ?? 0) + other[bucket];
  return sum;
}

/** `buildContext` gives what a response leaves in the conversation for the next one to read. */
function buildContext({ input, cache_read, output, ...sounds }: Usage): Usage {
  const {
    input_audio = 0,
    cache_read_audio = 0,
    output_audio = 0,
    input_image = 0,
    cache_read_image = 0,
  } = sounds;
  const audio = input_audio + cache_read_audio + output_audio;
  const images = input_image + cache_read_image;
  return {
    ...noUsage,
    cache_read: input + cache_read + output,
    ...(audio > 0 && { cache_read_audio: audio }),
    ...(images > 0 && { cache_read_image: images }),
  };
}

export class RealtimeMeter {
  #counted = noUsage;
  /** Responses that have begun and not ended. */
  readonly #openResponses = new Set<string>();
  #textBytes = 0;
  #audioCharacters = 0;
  /**
   * Audio that the client sent for transcription, and its transcript, since usage was last counted.
   */
  #isTranscribing = false;
  #uploadedCharacters = 0;
  #transcriptBytes = 0;
  #isEstimated = false;
  /**
   * `#earlierContext` is what the next response reads: the conversation up to the last one, which
   * providers cache, and what came since.
   */
  #earlierContext = noUsage;
  #newTextBytes = 0;
  #newAudioCharacters = 0;
  firstContentAt = 0;

  /** A response is in progress. */
  get isAnswering(): boolean {
    return this.#openResponses.size > 0;
  }

  get isEstimated(): boolean {
    return this.#isEstimated || this.#textBytes + this.#audioCharacters + this.#transcriptBytes > 0;
  }

  get usage(): Usage {
    return sumUsages(
      sumUsages(this.#counted, this.#unfinishedResponse()),
      this.#unfinishedTranscript(),
    );
  }

  /**
   * Client events of a conversation: the prompt of a response that never ends is estimated from
   * them.
   */
  observeClient({ type, audio, item, response, session }: JsonRecord): void {
    if (type === "input_audio_buffer.append") this.#newAudioCharacters += text(audio).length;
    else if (item ?? response ?? session)
      this.#newTextBytes += Buffer.byteLength(JSON.stringify(item ?? response ?? session));
  }

  /** Client events of a transcription session. */
  observeTranscribedClient({ type, audio }: JsonRecord): void {
    this.#isTranscribing = true;
    if (type === "input_audio_buffer.append") this.#uploadedCharacters += text(audio).length;
    else if (type === "input_audio_buffer.clear") this.#uploadedCharacters = 0;
  }

  observeUpstream(event: JsonRecord): void {
    const type = text(event.type);
    if (type === "response.created") this.#openResponses.add(text(record(event.response).id));
    else if (type === "response.done") this.#responseDone(record(event.response));
    else if (type === `${transcription}delta`) this.#transcribedDelta(text(event.delta));
    else if (type === `${transcription}completed`)
      this.#transcribed(event.usage, text(event.transcript));
    else if (type.startsWith("response.") && type.endsWith(".delta"))
      this.#delta(type, text(event.delta));
  }

  #delta(type: string, delta: string): void {
    if (delta === "") return;
    if (this.firstContentAt === 0) this.firstContentAt = Date.now();
    if (type.endsWith("audio.delta")) this.#audioCharacters += delta.length;
    else this.#textBytes += Buffer.byteLength(delta);
  }

  #responseDone({ id, usage }: JsonRecord): void {
    this.#openResponses.delete(text(id));
    const counted = findRealtimeUsage(usage);
    if (!counted && this.#textBytes + this.#audioCharacters > 0) this.#isEstimated = true;
    const response = counted ?? this.#unfinishedResponse();
    this.#counted = sumUsages(this.#counted, response);
    this.#earlierContext = buildContext(response);
    this.#textBytes = 0;
    this.#audioCharacters = 0;
    this.#newTextBytes = 0;
    this.#newAudioCharacters = 0;
  }

  #transcribedDelta(delta: string): void {
    // In a conversation, transcription is another model's work, of which only the words are
    // visible.
    if (delta === "" || !this.#isTranscribing) return;
    if (this.firstContentAt === 0) this.firstContentAt = Date.now();
    this.#transcriptBytes += Buffer.byteLength(delta);
  }

  /** Usage of a transcript, in tokens or in seconds. */
  #transcribed(wire: unknown, transcript: string): void {
    if (this.#transcriptBytes === 0) this.#transcribedDelta(transcript);
    const { seconds } = record(wire);
    const reportedSeconds =
      typeof seconds === "number" && seconds > 0
        ? { ...noUsage, seconds: count(Math.ceil(seconds)) }
        : undefined;
    const counted = reportedSeconds ?? findRealtimeUsage(wire);
    if (!counted && this.#isTranscribing) this.#isEstimated = true;
    this.#counted = sumUsages(this.#counted, counted ?? this.#unfinishedTranscript());
    this.#transcriptBytes = 0;
    this.#uploadedCharacters = 0;
  }

  /**
   * `#unfinishedTranscript` is about a transcript in progress: nothing is charged for what the
   * client never received.
   */
  #unfinishedTranscript(): Usage {
    if (this.#transcriptBytes === 0) return noUsage;
    const input_audio = Math.ceil(this.#uploadedCharacters / charactersPerInputAudioToken);
    return {
      ...noUsage,
      ...(input_audio > 0 && { input_audio }),
      output: Math.ceil(this.#transcriptBytes / bytesPerTextToken),
    };
  }

  /**
   * `#unfinishedResponse` is about a response in progress: the prompt and what was delivered, both
   * estimated; nothing before the first content.
   */
  #unfinishedResponse(): Usage {
    if (this.#textBytes + this.#audioCharacters === 0) return noUsage;
    const output_audio = Math.ceil(this.#audioCharacters / charactersPerAudioToken);
    const output = Math.ceil(this.#textBytes / bytesPerTextToken);
    const input_audio = Math.ceil(this.#newAudioCharacters / charactersPerInputAudioToken);
    const delivered = {
      ...noUsage,
      input: Math.ceil(this.#newTextBytes / bytesPerTextToken),
      output,
      ...(input_audio > 0 && { input_audio }),
      ...(output_audio > 0 && { output_audio }),
    };
    return sumUsages(this.#earlierContext, delivered);
  }
}
