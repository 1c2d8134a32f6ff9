/**
 * Pictures that a model draws in its answer. They travel as chat completions of routers for many
 * providers tell them: `images` beside the text, each a data URL. Pure.
 */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { composeDataUrl } from "./chat-parts.ts";

export interface AnswerPicture {
  mediaType: string;
  /** Base64. */
  data: string;
}

export const buildChatImage = ({ mediaType, data }: AnswerPicture): JsonRecord => ({
  type: "image_url",
  image_url: { url: `data:${mediaType};base64,${data}` },
});

/**
 * `listPictures` is about a message or a delta of chat completions; pictures at an address are left
 * out, because other formats hold the bytes.
 */
export const listPictures = ({ images }: JsonRecord): AnswerPicture[] =>
  records(images).flatMap(({ image_url }) => composeDataUrl(text(record(image_url).url)) ?? []);

/**
 * `listPartPicture` is about a part of Gemini; sketches among its thoughts are no part of the
 * answer.
 */
export function listPartPicture({ inlineData, thought }: JsonRecord): AnswerPicture[] {
  const { mimeType, data } = record(inlineData);
  const isPicture = thought !== true && text(mimeType).startsWith("image/") && text(data) !== "";
  return isPicture ? [{ mediaType: text(mimeType), data: text(data) }] : [];
}

/** `listItemPicture` is about an item of Responses. */
export const listItemPicture = ({ type, result, output_format }: JsonRecord): AnswerPicture[] =>
  type === "image_generation_call" && text(result) !== ""
    ? [{ mediaType: `image/${text(output_format) || "png"}`, data: text(result) }]
    : [];

/** `blockPicture` is about a block of Converse. */
export function blockPicture({ image }: JsonRecord): AnswerPicture[] {
  const { format, source } = record(image);
  const data = text(record(source).bytes);
  return data === "" ? [] : [{ mediaType: `image/${text(format) || "png"}`, data }];
}
