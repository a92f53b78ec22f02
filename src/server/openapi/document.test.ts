import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { endpointList } from '../../contract/api/all.ts';
import { openApiDocument } from './document.ts';

const document = JSON.parse(JSON.stringify(openApiDocument()));

test('[H7] the OpenAPI document is valid', async () => {
  expect(await new Validator().validate(document)).toEqual({ valid: true });
});
