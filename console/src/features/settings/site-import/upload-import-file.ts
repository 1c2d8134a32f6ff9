import {
  getSiteImport,
  importPartBytesMax,
  uploadSiteImport,
} from "@tollgate/contract/commands/site-imports.ts";
import { gotNoResponse } from "../../../api-error.ts";
import { api } from "../../../api-queries.ts";

const triesMax = 3;

/**
 * Sends the file part by part; a part whose answer was lost goes on from what has arrived. `onPart`
 * is told the bytes so far.
 */
export async function uploadImportFile(file: File, onPart: (bytes: number) => void): Promise<void> {
  let tries = 0;
  for (let offset = 0; offset < file.size; ) {
    onPart(offset);
    try {
      const body = file.slice(offset, offset + importPartBytesMax);
      await api.call(uploadSiteImport, { query: { offset }, body });
      offset += body.size;
      tries = 0;
    } catch (error) {
      tries += 1;
      if (!(error instanceof Error && gotNoResponse(error)) || tries >= triesMax) throw error;
      const { data } = await api.call(getSiteImport);
      offset = data.latest?.uploaded_bytes ?? 0;
    }
  }
}
