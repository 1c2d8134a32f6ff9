/** For interfaces whose callers may leave the model out: an upstream is told which one was priced. */
import { topLevelSpans, withMembers } from "../json-spans.ts";
import { fieldOf, withField } from "../multipart.ts";
import type { Call } from "./shape.ts";

export function bodyWithModel({ form, body }: Call, model: string): Buffer {
  if (form) return fieldOf(form, "model") === model ? body : withField(form, "model", model);
  const said = topLevelSpans(body).find(({ key }) => key === "model");
  const wanted = JSON.stringify(model);
  return said && body.toString("utf8", said.start, said.end) === wanted ? body : withMembers(body, { model: wanted });
}
