-- Search of bookings: letters of Latin scripts that have no decomposition are found by plain ones, and e-mail
-- addresses by each of their words.
-- Earlier versions may go on: they search with the same function.

-- As before, with folded letters: those of `FOLDED_LETTERS` in src/store/booking_search.rs, of which upper() makes ß and ı
-- plain ones.
CREATE OR REPLACE FUNCTION search_words(content text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(string_agg('''' || left(word, 500) || ''':' || least(position, 16383), ' '), '')::tsvector
        FROM regexp_split_to_table(
            replace(replace(replace(replace(translate(
                upper(lower(normalize(
                    regexp_replace(normalize(left(content, 100000), NFD), '[\u0300-\u036F]', '', 'g'),
                    NFC) COLLATE "und-x-icu")),
                'ĐÐĦŁØŦŊƏƎƁƉƊƐƑƓƔƖƘƝƆƲƳĸ',
                'DDHLOTNEEBDDEFGGIKNOVYQ'),
                'Æ', 'AE'), 'Œ', 'OE'), 'Þ', 'TH'), 'Ĳ', 'IJ'),
            U&'([^[:graph:]]|[[:punct:]'
            '\0024-\002B\003C-\003E\005E-\0060\007C-\00A9\00AC-\00B1\00B4\00B8\00D7\00F7\02C2-\02C5\02D2-\02DF'
            '\02E5-\02EB\02ED\02EF-\02FF\0375\0384-\0385\03F6\0482\058D-\058F\0600-\060F\061C\06DD-\06DE\06E9'
            '\06FD-\06FE\070F\07F6\07FE-\07FF\0888\0890-\0891\08E2\09F2-\09F3\09FA-\09FB\0AF1\0B70\0BF3-\0BFA\0C7F'
            '\0D4F\0D79\0E3F\0F01-\0F17\0F1A-\0F1F\0F34\0F36\0F38\0FBE-\0FC5\0FC7-\0FD8\109E-\109F\1390-\1399\166D'
            '\17DB\180E\1940\19DE-\19FF\1B61-\1B6A\1B74-\1B7C\1FBD\1FBF-\1FC1\1FCD-\1FCF\1FDD-\1FDF\1FED-\1FEF'
            '\1FFD-\206F\207A-\207C\208A-\208C\20A0-\20C0\2100-\2101\2103-\2106\2108-\2109\2114\2116-\2118\211E-\2123'
            '\2125\2127\2129\212E\213A-\213B\2140-\2144\214A-\214D\214F\218A-\244A\249C-\24E9\2500-\2767\2794-\2BFF'
            '\2CE5-\2CEA\2E50-\3004\3012-\3020\3036-\3037\303E-\303F\309B-\309C\3190-\3191\3196-\319F\31C0-\31E3'
            '\3200-\321E\322A-\3247\3250\3260-\327F\328A-\32B0\32C0-\33FF\4DC0-\4DFF\A490-\A4C6\A700-\A716\A720-\A721'
            '\A789-\A78A\A828-\A82B\A836-\A839\AA77-\AA79\AB5B\AB6A-\AB6B\FB29\FBB2-\FBC2\FD40-\FD4F\FDCF\FDFC-\FDFF'
            '\FE62-\FE69\FEFF-\FF0B\FF1C-\FF1E\FF3E-\FF40\FF5C-\FF5E\FFE0-\FFFD\+010137-\+01013F\+010179-\+010189'
            '\+01018C-\+0101FC\+010877-\+010878\+010AC8\+0110BD\+0110CD\+01173F\+011FD5-\+011FF1\+013430-\+013438'
            '\+016B3C-\+016B3F\+016B45\+01BC9C\+01BCA0-\+01BCA3\+01CF50-\+01D164\+01D16A-\+01D16C\+01D173-\+01D17A'
            '\+01D183-\+01D184\+01D18C-\+01D1A9\+01D1AE-\+01D241\+01D245\+01D300-\+01D356\+01D6C1\+01D6DB\+01D6FB'
            '\+01D715\+01D735\+01D74F\+01D76F\+01D789\+01D7A9\+01D7C3\+01D800-\+01D9FF\+01DA37-\+01DA3A'
            '\+01DA6D-\+01DA74\+01DA76-\+01DA83\+01DA85-\+01DA86\+01E14F\+01E2FF\+01ECAC\+01ECB0\+01ED2E'
            '\+01EEF0-\+01F0F5\+01F10D-\+01FBCA\+0E0001-\+0E007F'
            '])+'
        ) WITH ORDINALITY AS words (word, position)
        WHERE word <> '');
END
$$;

-- Rows with such letters are indexed again.
UPDATE bookings SET title = title
    WHERE title ~ '[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]';
UPDATE attendees SET name = name
    WHERE name ~ '[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]';
UPDATE event_types SET settings = settings
    WHERE event_type_title(settings) ~ '[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]';
UPDATE users SET name = name
    WHERE name ~ '[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]';

-- Words of the address. Added last: the table is rewritten, and nobody reads it until the end of the migration.
ALTER TABLE attendees ADD COLUMN email_words tsvector GENERATED ALWAYS AS (search_words(email)) STORED;
CREATE INDEX attendees_by_email_words ON attendees USING gin (email_words);
