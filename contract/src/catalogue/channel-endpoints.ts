/** The client endpoints that a channel can serve, by the names that channel settings use. */

const entries = [
  [1, "chat_completions", "Chat Completions", "/v1/chat/completions"],
  [2, "completions", "Text completions", "/v1/completions"],
  [3, "embeddings", "Embeddings", "/v1/embeddings"],
  [4, "moderations", "Moderations", "/v1/moderations"],
  [5, "images_generations", "Image generation", "/v1/images/generations"],
  [6, "images_edits", "Image editing", "/v1/images/edits"],
  [7, "audio_speech", "Text to speech", "/v1/audio/speech"],
  [8, "audio_transcription", "Speech to text", "/v1/audio/transcriptions"],
  [9, "audio_translation", "Speech to English text", "/v1/audio/translations"],
  [10, "rerank", "Reranking", "/v1/rerank"],
  [11, "response_api", "Responses", "/v1/responses"],
  [12, "claude_messages", "Anthropic Messages", "/v1/messages"],
  [13, "realtime", "Realtime", "/v1/realtime"],
  [14, "videos", "Video generation", "/v1/videos"],
  [15, "ocr", "Text recognition", "/v1/ocr"],
] as const;

export type EndpointName = (typeof entries)[number][1];
export const endpointNames: readonly EndpointName[] = entries.map(([, name]) => name);
export const channelEndpoints = entries.map(([id, name, description, path]) => ({
  id,
  name,
  description,
  path,
}));
