/**
 * Pictures that a model draws in its answer. They travel as chat completions of routers for many providers tell them: `images` beside
 * the text, each a data URL. Pure.
 */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { dataUrl } from "./chat-parts.ts";

export interface AnswerPicture {
  mediaType: string;
  /** Base64. */
  data: string;
}

export const chatImage = ({ mediaType, data }: AnswerPicture): JsonRecord => ({
  type: "image_url",
  image_url: { url: `data:${mediaType};base64,${data}` },
});

/** Of a message or a delta of chat completions; pictures at an address are left out, because other formats hold the bytes. */
export const picturesIn = ({ images }: JsonRecord): AnswerPicture[] =>
  records(images).flatMap(({ image_url }) => dataUrl(text(record(image_url).url)) ?? []);

/** Of a part of Gemini; sketches among its thoughts are no part of the answer. */
export function partPicture({ inlineData, thought }: JsonRecord): AnswerPicture[] {
  const { mimeType, data } = record(inlineData);
  const isPicture = thought !== true && text(mimeType).startsWith("image/") && text(data) !== "";
  return isPicture ? [{ mediaType: text(mimeType), data: text(data) }] : [];
}

/** Of an item of Responses. */
export const itemPicture = ({ type, result, output_format }: JsonRecord): AnswerPicture[] =>
  type === "image_generation_call" && text(result) !== ""
    ? [{ mediaType: `image/${text(output_format) || "png"}`, data: text(result) }]
    : [];

/** Of a block of Converse. */
export function blockPicture({ image }: JsonRecord): AnswerPicture[] {
  const { format, source } = record(image);
  const data = text(record(source).bytes);
  return data === "" ? [] : [{ mediaType: `image/${text(format) || "png"}`, data }];
}
