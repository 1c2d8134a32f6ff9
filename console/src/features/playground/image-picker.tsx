import { Trans, useLingui } from "@lingui/react/macro";
import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import type { PlaygroundImage } from "./playground-request.ts";

const imagesMax = 4;
/**
 * `imageBytesMax` is as text an image is a third larger; the gateway takes bodies of several
 * megabytes.
 */
const imageBytesMax = 4 * 1024 * 1024;

type ImagePickerProps = {
  images: readonly PlaygroundImage[];
  onChange: (images: readonly PlaygroundImage[]) => void;
};

export function ImagePicker({ images, onChange }: ImagePickerProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const most = formatBytes(imageBytesMax);
  const add = async (files: readonly File[]) => {
    const fitting = files.filter(
      (file) => file.size <= imageBytesMax && file.type.startsWith("image/"),
    );
    if (fitting.length < files.length) toast(t`An image may have at most ${most}`, { tone: "bad" });
    const read = await Promise.all(
      fitting.map(async (file) => ({ name: file.name, dataUrl: await readDataUrl(file) })),
    );
    onChange([...images, ...read].slice(0, imagesMax));
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label={t`Images`}
        onChange={(event) => {
          void add([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <Button
        size="sm"
        variant="ghost"
        icon={<ImagePlus />}
        disabled={images.length >= imagesMax}
        onClick={() => input.current?.click()}
      >
        <Trans>Add images</Trans>
      </Button>
      {images.map((image) => (
        <Button
          key={image.name}
          size="sm"
          aria-label={t`Remove ${image.name}`}
          onClick={() => onChange(images.filter((one) => one !== image))}
        >
          <span className="max-w-32 truncate">{image.name}</span>
          <X aria-hidden="true" className="size-3.5" />
        </Button>
      ))}
    </>
  );
}

const readDataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("the file could not be read"));
    reader.readAsDataURL(file);
  });
