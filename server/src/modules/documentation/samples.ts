import type { Html } from '../../contract/html.ts';
import { CLIENT_SAMPLES } from './client-samples.ts';
import { codeBlock, codeTabs } from './code-block.ts';
import { curlSample } from './curl-sample.ts';
import { ADDRESS } from './markdown.ts';
import type { Example } from './recorded-examples.ts';

export function requestSamples(template: string, { request, clients }: Example): Html {
  const others = clients.flatMap((client) => {
    const { write, language, label } = CLIENT_SAMPLES[client];
    const sample = write(template, request);
    return sample === undefined ? [] : [codeBlock(addressed(sample), language, label)];
  });
  return codeTabs([codeBlock(addressed(curlSample(request)), 'sh', 'curl'), ...others]);
}

export function responseSample({ response }: Example): Html | undefined {
  const { body, contentType } = response;
  if (body === undefined) return undefined;
  return typeof body === 'string'
    ? codeBlock(addressed(body.trimEnd()), '', contentType ?? 'Text')
    : codeBlock(addressed(JSON.stringify(body, null, 2)), 'json', `${response.status} response`);
}

function addressed(text: string): string {
  return text.replaceAll('$URL', ADDRESS);
}
