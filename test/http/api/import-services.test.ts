import { describe, expect, it } from 'vitest';
import { testService } from '../../support/test-service.ts';

/* Files as other form services write them: in the preview, whose guess the dashboard offers, and with the parameters of the guide. */

const service = await testService();
const owner = await service.owner();

type Fixture = { file: string; query: string; time: string; leftOut: readonly string[]; stored: readonly unknown[] };

const leaveOut = (...names: string[]): string => `leave_out=${encodeURIComponent(JSON.stringify(names))}`;
const at = (time: string, data: object, ip = '') => ({ created_at: time, ip_address: ip, data });

const SERVICES: Readonly<Record<string, Fixture>> = {
  Formspree: {
    file:
      '\ufeffid,submitted,name,email,message\r\n' +
      'a8f1,2024-05-02T09:15:30.123456+00:00,Bea,bea@example.org,"Second, with ""quotes"""\r\n' +
      'a8f0,2024-05-01T13:45:10.000001+00:00,Ada,ada@example.org,"Two\nlines"\r\n',
    query: `time=submitted&${leaveOut('id')}`,
    time: 'submitted',
    leftOut: ['id'],
    stored: [
      at('2024-05-02T09:15:30.123Z', { name: 'Bea', email: 'bea@example.org', message: 'Second, with "quotes"' }),
      at('2024-05-01T13:45:10.000Z', { name: 'Ada', email: 'ada@example.org', message: 'Two\nlines' }),
    ],
  },
  Netlify: {
    file:
      'name,email,interests,ip,user_agent,referrer,created_at\n' +
      'Ada,ada@example.org,"[""a"",""b""]",203.0.113.4,"Mozilla/5.0 (X11; Linux x86_64)",https://example.org/,2024-05-01 13:45:10 UTC\n' +
      'Bea,,,2001:db8::7,curl/8.5.0,,2024-05-02T09:15:30.088Z\n',
    query: `ip=ip&${leaveOut('user_agent', 'referrer')}`,
    time: 'created_at',
    leftOut: ['user_agent', 'referrer'],
    stored: [
      at('2024-05-02T09:15:30.088Z', { name: 'Bea' }, '2001:db8::7'),
      at('2024-05-01T13:45:10.000Z', { name: 'Ada', email: 'ada@example.org', interests: '["a","b"]' }, '203.0.113.4'),
    ],
  },
  Basin: {
    file:
      'id,created_at,ip,referrer,user_agent,email,message\n' +
      '91234567,2024-05-01 13:45:10 UTC,203.0.113.4,https://example.org/contact,Mozilla/5.0,ada@example.org,Hello\n',
    query: `ip=ip&${leaveOut('id', 'referrer', 'user_agent')}`,
    time: 'created_at',
    leftOut: ['id', 'referrer', 'user_agent'],
    stored: [at('2024-05-01T13:45:10.000Z', { email: 'ada@example.org', message: 'Hello' }, '203.0.113.4')],
  },
  Getform: {
    file:
      '"submissionDate","name","email","message"\n' +
      '"2024-05-01 13:45:10","Ada","ada@example.org","Hello"\n"2024-05-01 13:45:12","Bea","",""\n',
    query: 'time=submissionDate&time_zone=UTC',
    time: 'submissionDate',
    leftOut: [],
    stored: [
      at('2024-05-01T13:45:12.000Z', { name: 'Bea' }),
      at('2024-05-01T13:45:10.000Z', { name: 'Ada', email: 'ada@example.org', message: 'Hello' }),
    ],
  },
  Tally: {
    file:
      'Submission ID,Respondent ID,Submitted at,Your name,Days,Days (Monday),Days (Tuesday)\n' +
      'PgYbzQ,l0WyWk,2024-05-01 13:45:10,Ada,"Monday, Tuesday",true,true\n' +
      'QhZcaR,m1XzXl,2024-05-02 09:15:30,Bea,Monday,true,false\n',
    query: `time=Submitted%20at&time_zone=UTC&${leaveOut('Submission ID', 'Respondent ID')}`,
    time: 'Submitted at',
    leftOut: ['Submission ID', 'Respondent ID'],
    stored: [
      at('2024-05-02T09:15:30.000Z', {
        ...{ 'Your name': 'Bea', Days: 'Monday', 'Days (Monday)': 'true', 'Days (Tuesday)': 'false' },
      }),
      at('2024-05-01T13:45:10.000Z', {
        ...{ 'Your name': 'Ada', Days: 'Monday, Tuesday', 'Days (Monday)': 'true', 'Days (Tuesday)': 'true' },
      }),
    ],
  },
  'Google Forms': {
    file:
      '"Timestamp","Username","What is your name?","Which days?"\n' +
      '"2024/05/01 1:45:10 PM GMT+2","ada@example.org","Ada","Monday;Tuesday"\n' +
      '"2024/12/02 9:15:30 AM GMT+1","","Bea",""\n',
    query: 'time=Timestamp',
    time: 'Timestamp',
    leftOut: [],
    stored: [
      at('2024-12-02T08:15:30.000Z', { 'What is your name?': 'Bea' }),
      at('2024-05-01T11:45:10.000Z', {
        ...{ Username: 'ada@example.org', 'What is your name?': 'Ada', 'Which days?': 'Monday;Tuesday' },
      }),
    ],
  },
  'a sheet of Google Forms': {
    file: 'Timestamp,Name\r\n5/1/2024 13:45:10,Ada\r\n5/13/2024 9:15:30,Bea',
    query: 'time=Timestamp&date_order=month-first&time_zone=America/New_York',
    time: 'Timestamp',
    leftOut: [],
    stored: [at('2024-05-13T13:15:30.000Z', { Name: 'Bea' }), at('2024-05-01T17:45:10.000Z', { Name: 'Ada' })],
  },
  'a German sheet of Google Forms': {
    file: 'Zeitstempel;Name\n01.05.2024 13:45:10;Ada\n02.05.2024 09:15:30;Bea\n',
    query: 'time=Zeitstempel&time_zone=Europe/Berlin',
    time: 'Zeitstempel',
    leftOut: [],
    stored: [at('2024-05-02T07:15:30.000Z', { Name: 'Bea' }), at('2024-05-01T11:45:10.000Z', { Name: 'Ada' })],
  },
};

describe.each(Object.entries(SERVICES))('a file of %s', (_name, { file, query, time, leftOut, stored }) => {
  const post = (path: string) => owner.send('POST', `/submissions/${path}`, file, { 'Content-Type': 'text/csv' });

  it('is imported with the parameters of the guide', async () => {
    const { id } = await owner.deploy();
    expect(await post(`${id}/import?${query}`)).toEqual({ status: 200, body: { imported: stored.length, errors: [] } });
    const { body } = await owner.get(`/submissions/${id}`).expect(200);
    expect(body.submissions).toEqual(stored.map((one) => ({ id: expect.any(String), ...Object(one) })));
  });

  it('is read as it is by the guess', async () => {
    const { id } = await owner.deploy();
    const zone = new URLSearchParams(query).get('time_zone') ?? 'UTC';
    const answered = await post(`${id}/import/preview?guess=1&time_zone=${zone}`);
    expect(answered).toMatchObject({ status: 200, body: { errors: [] } });
    const { columns }: { columns: { name: string; use: string }[] } = Object(answered.body);
    const named = (use: string) => columns.filter((column) => column.use === use).map(({ name }) => name);
    expect([named('time'), named('left-out')]).toEqual([[time], leftOut]);
  });
});

describe('the guess', () => {
  it.each([
    ['a name that is there twice', 'Date,Date,Name\n1,2,Ada\n', ['field', 'field', 'field']],
    [
      'the header of an export without its ids',
      'id,created_at,ip_address,a\n7,2024-05-01,,x\n',
      ['left-out', 'time', 'ip', 'field'],
    ],
    ['a header alone', 'Timestamp,Name\n', ['time', 'field']],
    ['a column without a name', ',Submit Date (UTC),Name\n,2024-05-01,Ada\n', ['field', 'time', 'field']],
  ])('reads %s', async (_name, file, uses) => {
    const { id } = await owner.deploy();
    const { status, body } = await owner.send('POST', `/submissions/${id}/import/preview?guess=1`, file, {
      'Content-Type': 'text/csv',
    });
    expect([status, Object(body).columns.map(({ use }: { use: string }) => use)]).toEqual([200, uses]);
    expect(Object(body).errors).toEqual([]);
  });
});
