/** A request with its texts, as guards read and replace them: JSON, or a form with a file. Pure. */
import type { CallFormats } from "../formats/api-format.ts";
import type { PlainRequest, SentBody, StatedNeeds } from "../formats/call-parts.ts";
import { parseExactJson } from "../wire/exact-json.ts";
import { addField, composeFormType, type MultipartForm, readForm } from "../wire/multipart.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import { addTexts, buildTexts, type RequestTexts } from "./request-texts.ts";

/** `InspectableCall` is what is read of a call to inspect it, and written anew. */
export interface InspectableCall extends PlainRequest, StatedNeeds, SentBody, CallFormats {}

export interface InspectedRequest<Call> extends RequestTexts {
  /** `replaced` has other texts, as many as before. Throws `RelayRefused` where they do not fit. */
  replaced(texts: readonly string[]): InspectedRequest<Call>;
  /**
   * The call with what was inspected as its body, written anew: a member that stood there twice, of
   * which a provider might read the other one, stands there once.
   */
  call(isEstimateRough: boolean): Call;
}

export const buildInspectedRequest = <Call extends InspectableCall>(
  call: Call,
): InspectedRequest<Call> =>
  call.form
    ? buildInspectedForm(call, call.form)
    : buildInspectedJson(call, parseExactJson(call.body.toString("utf8")));

function buildInspectedJson<Call extends InspectableCall>(
  call: Call,
  json: unknown,
): InspectedRequest<Call> {
  return {
    ...buildTexts(json),
    replaced: (texts) => buildInspectedJson(call, addTexts(json, texts)),
    call(isEstimateRough) {
      const body = Buffer.from(JSON.stringify(json));
      const { model: _, ...parsed } = call.client.parseRequest(
        JSON.parse(body.toString("utf8")),
        isEstimateRough,
      );
      return { ...call, ...parsed, body };
    },
  };
}

function buildInspectedForm<Call extends InspectableCall>(
  call: Call,
  form: MultipartForm,
): InspectedRequest<Call> {
  const fields = form.parts.filter(
    ({ filename, name }) => filename === undefined && name !== "model",
  );
  const texts = fields.map(({ start, end }) => form.body.toString("utf8", start, end));
  return {
    texts,
    others: form.parts.flatMap(({ filename }) => filename ?? []),
    hasTokenIds: false,
    replaced(wanted) {
      let changed = form;
      for (const [index, { name }] of fields.entries()) {
        const value = wanted[index] ?? "";
        if (value === texts[index]) continue;
        changed = readForm(composeFormType(form), addField(changed, name, value));
      }
      if (changed.parts.length !== form.parts.length)
        throw refuseBadRequest("invalid_multipart_request", "The texts do not fit");
      return buildInspectedForm(call, changed);
    },
    call(isEstimateRough) {
      const { model: _, ...parsed } = call.client.parseForm?.(form, isEstimateRough) ?? call;
      return { ...call, ...parsed, form, body: form.body };
    },
  };
}
