import { Trans, useLingui } from "@lingui/react/macro";
import { Copy, Download, Image } from "lucide-react";
import { useRef } from "react";
import type { ChartCaption } from "../ui/chart/chart-picture.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuItem } from "../ui/menu/menu.tsx";
import { saveFile } from "../ui/save-file.ts";
import { toast } from "../ui/toast.tsx";
import { toastError } from "./toast-failure.ts";

/** `unusable` is what file systems do not take in a name. */
const unusable = /[\\/:*?"<>|]+/g;

/**
 * `ChartPictureMenu` stands in the title of a card with a chart: it saves the chart as a PNG file
 * or puts it into the clipboard. Hidden while the card shows none.
 */
export function ChartPictureMenu({ title, period }: ChartCaption) {
  const { t } = useLingui();
  const place = useRef<HTMLSpanElement>(null);
  const draw = async () => {
    const { readChartPicture } = await import("../ui/chart/chart-picture.ts");
    return readChartPicture(place.current?.closest("section"), { title, period });
  };
  const download = async () =>
    saveFile(`${title} ${period}.png`.replace(unusable, "-"), "image/png", [await draw()]);
  const copy = async () => {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": draw() })]);
    toast(t`Copied!`);
  };
  return (
    <span
      ref={place}
      className="contents in-[section:not(:has([role=application]))]:hidden print:hidden"
    >
      <Menu
        trigger={<IconButton size="sm" label={t`${title}: as a picture`} icon={<Image />} />}
        label={t`${title}: as a picture`}
      >
        <MenuItem icon={<Download />} onSelect={() => void download().catch(toastError)}>
          <Trans>Download as PNG</Trans>
        </MenuItem>
        {/* Browsers give pages on plain http no clipboard. */}
        {"clipboard" in navigator && (
          <MenuItem icon={<Copy />} onSelect={() => void copy().catch(toastError)}>
            <Trans>Copy as a picture</Trans>
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}
