/** An address of the client API as data. */

export interface ClientOperation {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path: string;
  summary: string;
  /** `form` is multipart. */
  body?: "json" | "form";
  /** A body that works once its model is one that the gateway offers. */
  example?: Readonly<Record<string, unknown>>;
  /** The vendor's description of the format. */
  format?: string;
}

export const openAiPage = (page: string): string =>
  `https://platform.openai.com/docs/api-reference/${page}`;
export const readAnthropicPage = (page: string): string =>
  `https://docs.anthropic.com/en/api/${page}`;
export const readGeminiPage = (page: string): string => `https://ai.google.dev/api/${page}`;
