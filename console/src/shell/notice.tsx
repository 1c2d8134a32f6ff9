import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { ChevronDown, Megaphone, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { dismissNotice, stripMarkup, useUnreadNotice } from "./unread-notice.ts";

const RichText = lazy(async () => ({
  default: (await import("../components/texts/rich-text.tsx")).RichText,
}));

/**
 * More does not fit on a line of a phone, where a longer notice would push the page down: its first
 * line stands there.
 */
const oneLineMax = 36;

/**
 * The operator's notice between header and page. A dismissed notice returns when its text changes.
 */
export function Notice() {
  const text = useUnreadNotice();
  if (text === "") return null;
  return <NoticeBar text={text} />;
}

function NoticeBar({ text }: { text: string }) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const plain = stripMarkup(text);
  const isFolded = !isOpen && plain.length > oneLineMax;
  return (
    <section aria-label={t`Notice`} className="border-line border-b bg-info-soft print:hidden">
      <div className="mx-auto flex w-full max-w-[1440px] items-start gap-3 px-4 py-2 md:px-6">
        <Megaphone aria-hidden="true" className="mt-2 size-4 shrink-0 text-info" />
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a long notice scrolls, also by keyboard
          tabIndex={0}
          className={clsx(
            "max-h-[30dvh] min-w-0 grow self-center overflow-y-auto rounded-sm py-1.5",
            isFolded && "max-md:max-h-6.5 max-md:overflow-hidden",
          )}
        >
          {/* About as high as the text with its markup, so that the page does not move when that is there. */}
          <Suspense fallback={<p className="text-[13px] leading-5">{plain}</p>}>
            <RichText source={text} className="rich-text-small" />
          </Suspense>
        </div>
        {isFolded && (
          <IconButton
            label={t`Show the whole notice`}
            icon={<ChevronDown />}
            size="sm"
            className="md:hidden"
            onClick={() => setOpen(true)}
            tooltip={false}
          />
        )}
        <IconButton
          label={t`Dismiss notice`}
          icon={<X />}
          size="sm"
          onClick={dismissNotice}
          tooltip={false}
        />
      </div>
    </section>
  );
}
