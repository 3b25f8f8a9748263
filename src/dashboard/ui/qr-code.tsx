import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { encode } from 'uqr';
import { t } from '../texts/chosen-texts.ts';
import { Rich } from '../texts/rich.tsx';
import { Button } from './button.tsx';
import { say } from './say.tsx';
import { unseen } from './unseen.tsx';

/** Empty modules around a code, as scanners expect (ISO/IEC 18004). */
const BORDER = 4;
/** Pixels of a module in the PNG: sharp in print, where a code is a few centimetres wide. */
const MODULE_PX = 24;

type Code = { size: number; data: boolean[][] };

const codeOf = (text: string): Code => encode(text, { border: BORDER });

/** The dark modules as a path of SVG. */
const pathOf = ({ data }: Code): string =>
  data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');

const toSvg = (code: Code): Blob =>
  new Blob(
    [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${code.size} ${code.size}" shape-rendering="crispEdges">`,
      `<path fill="#fff" d="M0 0h${code.size}v${code.size}H0z"/><path d="${pathOf(code)}"/></svg>\n`,
    ],
    { type: 'image/svg+xml' },
  );

async function toPng({ size, data }: Code): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = size * MODULE_PX;
  canvas.height = canvas.width;
  const context = canvas.getContext('2d');
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  if (context) {
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = '#000';
    for (const [y, row] of data.entries()) {
      for (const [x, isDark] of row.entries()) {
        if (isDark) context.fillRect(x * MODULE_PX, y * MODULE_PX, MODULE_PX, MODULE_PX);
      }
    }
  }
  canvas.toBlob(resolve, 'image/png');
  const png = await promise;
  if (!png) throw new Error(t.page.share.noPicture);
  return png;
}

/** Has the browser save a file. */
function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has begun, and keeps the content.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

/** The QR code of an address: dark modules on white, in any color scheme. It can be saved under `name`. */
export function QrCode({ text, name }: { text: string; name: string }): JSX.Element {
  const code = useMemo(() => codeOf(text), [text]);
  const savePng = async (): Promise<void> => {
    try {
      save(await toPng(code), `${name}.png`);
    } catch (error) {
      if (error instanceof Error) say(error.message);
    }
  };
  return (
    <div class="qr">
      <svg class="qr-code" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={t.page.share.qrCode}>
        <path d={pathOf(code)} />
      </svg>
      <div class="buttons">
        <Button kind="quiet" icon="save" onClick={() => save(toSvg(code), `${name}.svg`)}>
          <Rich text={t.page.share.svg} with={{ unseen }} />
        </Button>
        <Button kind="quiet" icon="save" onClick={savePng}>
          <Rich text={t.page.share.png} with={{ unseen }} />
        </Button>
      </div>
    </div>
  );
}
