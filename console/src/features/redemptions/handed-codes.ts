import { createHandover } from "../../components/keys/handed-over.ts";
import type { CreatedCodes } from "./use-code-creation.ts";

/** The codes that the form has just created. */
export const createdCodes = createHandover<CreatedCodes>();
