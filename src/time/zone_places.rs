//! Countries and large cities of time zones, for the search. Ids name one city only, and browsers do not say which
//! country a zone belongs to. From `zone.tab` of the time zone database, which is in the public domain.

use super::zone::Zone;

/// Zones of each country, its main zone first: a two-letter code and the cities of the ids. After `=`, other names to
/// find the zone by: large cities, spellings in other languages without accents and in other scripts, abbreviations.
/// `Argentina`, `Indiana`, `Kentucky` and `North_Dakota` are in the middle of ids. Without stations in Antarctica.
const PLACES: &str = "\
    AD Andorra; AE Dubai=Abu_Dhabi,دبي,أبوظبي,迪拜,ドバイ,דובאי,दुबई; AF Kabul; AG Antigua; AI Anguilla; AL Tirane; \
    AM Yerevan; AO Luanda; AR Buenos_Aires Argentina Catamarca Cordoba Jujuy Mendoza; AS Pago_Pago; AT \
    Vienna=Wien,Salzburg,CET,维也纳,ウィーン,فيينا,וינה; AU Lord_Howe Macquarie Hobart Melbourne=AEST,AEDT \
    Sydney=Canberra,AEST,AEDT,悉尼,シドニー,سيدني,סידני,सिडनी Broken_Hill Brisbane=AEST Lindeman Adelaide Darwin Perth \
    Eucla; AW Aruba; AX Mariehamn; AZ Baku; BA Sarajevo; BB Barbados; BD Dhaka=ढाका; BE \
    Brussels=Brussel,Bruxelles,CET; BF Ouagadougou; BG Sofia; BH Bahrain=المنامة; BI Bujumbura; BJ Porto-Novo; \
    BL St_Barthelemy; BM Bermuda; BN Brunei; BO La_Paz; BQ Kralendijk; BR Noronha Belem Fortaleza Recife \
    Araguaina Maceio Bahia Sao_Paulo=Rio_de_Janeiro,Brasilia Campo_Grande Cuiaba Santarem Porto_Velho Boa_Vista \
    Manaus Eirunepe Rio_Branco; BS Nassau; BT Thimphu; BW Gaborone; BY Minsk; BZ Belize; CA \
    St_Johns=Newfoundland,NST Halifax=AST Glace_Bay Moncton Goose_Bay Blanc-Sablon \
    Toronto=Montreal,Ottawa,Quebec,EST,EDT,多伦多,トロント,تورونتو,טורונטו Iqaluit Atikokan Coral_Harbour Winnipeg \
    Resolute Rankin_Inlet Regina Swift_Current Edmonton=Calgary Cambridge_Bay Inuvik Creston Dawson_Creek \
    Fort_Nelson Whitehorse Dawson Vancouver=PST; CC Cocos; CD Kinshasa Lubumbashi; CF Bangui; CG Brazzaville; CH \
    Zurich=Geneva,Geneve,Genf,Basel,Bern,CET; CI Abidjan; CK Rarotonga; CL Santiago Coyhaique Punta_Arenas \
    Easter; CM Douala; CN Shanghai=Beijing,Peking,Shenzhen,Guangzhou,上海,北京,ペキン,广州,深圳,بكين Urumqi; CO \
    Bogota; CR Costa_Rica; CU Havana; CV Cape_Verde; CW Curacao; CX Christmas; CY Nicosia Famagusta; CZ \
    Prague=Prag,Praha,Praga,CET; DE \
    Berlin=Munich,Munchen,Hamburg,Cologne,Koln,Frankfurt,Stuttgart,Dusseldorf,CET,CEST,柏林,ベルリン,برلين,ברלין,बर्लिन \
    Busingen; DJ Djibouti; DK Copenhagen=Kopenhagen,Kobenhavn,CET; DM Dominica; DO Santo_Domingo; DZ \
    Algiers=الجزائر,Algier; EC Guayaquil=Quito Galapagos; EE Tallinn; EG \
    Cairo=Kairo,Alexandria,EET,القاهرة,الإسكندرية,カイロ,קהיר; EH El_Aaiun; ER Asmara Asmera; ES \
    Madrid=Barcelona,Valencia,Seville,Sevilla,CET,马德里,マドリード,مدريد,מדריד Ceuta Canary; ET Addis_Ababa; FI \
    Helsinki=EET; FJ Fiji; FK Stanley; FM Chuuk Pohnpei Ponape Kosrae; FO Faroe; FR \
    Paris=Lyon,Marseille,CET,巴黎,パリ,باريس,פריז,पेरिस; GA Libreville; GB \
    London=Londres,Manchester,Edinburgh,Glasgow,GMT,BST,伦敦,ロンドン,لندن,לונדון,लंदन; GD Grenada; GE Tbilisi; GF \
    Cayenne; GG Guernsey; GH Accra=GMT; GI Gibraltar; GL Nuuk Danmarkshavn Scoresbysund Thule; GM Banjul; GN \
    Conakry; GP Guadeloupe; GQ Malabo; GR Athens=Athen,Athenes,EET,EEST,Αθήνα; GS South_Georgia; GT Guatemala; \
    GU Guam; GW Bissau; GY Guyana; HK Hong_Kong=Hongkong,香港,ホンコン; HN Tegucigalpa; HR Zagreb; HT Port-au-Prince; \
    HU Budapest=CET; ID Jakarta=雅加达,ジャカルタ Pontianak Makassar=Bali Jayapura; IE Dublin=IST; IL \
    Jerusalem=Tel_Aviv,IST,ירושלים,תל_אביב,חיפה,القدس,تل_أبيب; IM Isle_of_Man; IN \
    Kolkata=Mumbai,Bombay,Delhi,New_Delhi,Bangalore,Bengaluru,Chennai,Hyderabad,Pune,IST,Kalkutta,दिल्ली,नई_दिल्ली,मुंबई,कोलकाता,चेन्नई,बेंगलुरु,孟买,ムンバイ; \
    IO Chagos; IQ Baghdad=بغداد; IR Tehran; IS Reykjavik=GMT; IT \
    Rome=Rom,Roma,Rzym,Milan,Milano,Mailand,Naples,Napoli,Florence,CET,罗马,ローマ,روما,רומא; JE Jersey; JM Jamaica; \
    JO Amman=عمّان,عمان; JP Tokyo=Tokio,Osaka,JST,東京,とうきょう,东京,大阪,طوكيو,טוקיו,टोक्यो; KE Nairobi; KG Bishkek; KH \
    Phnom_Penh; KI Tarawa Kanton Enderbury Kiritimati; KM Comoro; KN St_Kitts; KP Pyongyang; KR \
    Seoul=Busan,KST,서울,首尔,ソウル,سيول,סיאול; KW Kuwait=الكويت; KY Cayman; KZ Almaty=Astana Qyzylorda Qostanay \
    Aqtobe Aqtau Atyrau Oral; LA Vientiane; LB Beirut=بيروت; LC St_Lucia; LI Vaduz; LK Colombo; LR Monrovia; LS \
    Maseru; LT Vilnius; LU Luxembourg; LV Riga; LY Tripoli=طرابلس; MA Casablanca=Rabat,الدار_البيضاء,الرباط; MC \
    Monaco; MD Chisinau; ME Podgorica; MF Marigot; MG Antananarivo; MH Majuro Kwajalein; MK Skopje; ML Bamako; \
    MM Yangon; MN Ulaanbaatar Hovd; MO Macau; MP Saipan; MQ Martinique; MR Nouakchott; MS Montserrat; MT Malta; \
    MU Mauritius; MV Maldives; MW Blantyre; MX Mexico_City=Guadalajara Cancun Merida Monterrey Matamoros \
    Chihuahua Ciudad_Juarez Ojinaga Mazatlan Bahia_Banderas Hermosillo Tijuana; MY Kuala_Lumpur Kuching; MZ \
    Maputo; NA Windhoek; NC Noumea; NE Niamey; NF Norfolk; NG Lagos=Abuja; NI Managua; NL \
    Amsterdam=Rotterdam,The_Hague,Den_Haag,CET,阿姆斯特丹,アムステルダム,أمستردام,אמסטרדם; NO Oslo=CET; NP \
    Kathmandu=काठमांडू; NR Nauru; NU Niue; NZ Auckland=Wellington,NZST,NZDT Chatham; OM Muscat=مسقط; PA Panama; \
    PE Lima; PF Tahiti Marquesas Gambier; PG Port_Moresby Bougainville; PH Manila=マニラ,马尼拉; PK \
    Karachi=Islamabad,कराची; PL Warsaw=Warszawa,Warschau,Krakow,Gdansk,Wroclaw,CET; PM Miquelon; PN Pitcairn; PR \
    Puerto_Rico; PS Gaza Hebron; PT Lisbon=Lisboa,Lissabon,Lisbonne,Porto,WET,WEST Madeira Azores; PW Palau; PY \
    Asuncion; QA Qatar=الدوحة; RE Reunion; RO Bucharest; RS Belgrade=Belgrad,Beograd,CET; RU Kaliningrad \
    Moscow=Moskau,Moskva,Saint_Petersburg,MSK,Москва,莫斯科,モスクワ,موسكو,מוסקבה Kirov Volgograd Astrakhan Saratov \
    Ulyanovsk Samara Yekaterinburg Omsk Novosibirsk Barnaul Tomsk Novokuznetsk Krasnoyarsk Irkutsk Chita Yakutsk \
    Khandyga Vladivostok Ust-Nera Magadan Sakhalin Srednekolymsk Kamchatka Anadyr; UA Simferopol \
    Kyiv=Kiew,EET,Київ; RW Kigali; SA Riyadh=Mecca,الرياض,جدة,مكة; SB Guadalcanal; SC Mahe; SD Khartoum=الخرطوم; \
    SE Stockholm=Gothenburg,CET; SG Singapore=Singapur,新加坡,シンガポール,سنغافورة,סינגפור; SH St_Helena; SI Ljubljana; \
    SJ Longyearbyen; SK Bratislava; SL Freetown; SM San_Marino; SN Dakar; SO Mogadishu; SR Paramaribo; SS Juba; \
    ST Sao_Tome; SV El_Salvador; SX Lower_Princes; SY Damascus=دمشق; SZ Mbabane; TC Grand_Turk; TD Ndjamena; TF \
    Kerguelen; TG Lome; TH Bangkok=曼谷,バンコク; TJ Dushanbe; TK Fakaofo; TL Dili; TM Ashgabat; TN Tunis=تونس; TO \
    Tongatapu; TR Istanbul=Ankara,إسطنبول,איסטנבול,イスタンブール,伊斯坦布尔; TT Port_of_Spain; TV Funafuti; TW \
    Taipei=台北,タイペイ; TZ Dar_es_Salaam; UG Kampala; UM Midway Wake; US \
    New_York=Boston,Washington,Miami,Atlanta,Philadelphia,EST,EDT,NYC,纽约,ニューヨーク,نيويورك,ניו_יורק,न्यूयॉर्क \
    Detroit Kentucky Louisville Indiana Indianapolis \
    Chicago=Houston,Dallas,Austin,Minneapolis,New_Orleans,CST,CDT,芝加哥,シカゴ,شيكاغو Menominee North_Dakota \
    Denver=Salt_Lake_City,MST,MDT Boise Phoenix \
    Los_Angeles=San_Francisco,Seattle,San_Diego,Portland,Las_Vegas,PST,PDT,洛杉矶,ロサンゼルス,旧金山,サンフランシスコ,لوس_أنجلوس \
    Anchorage=AKST Juneau Sitka Metlakatla Yakutat Nome Adak Honolulu=HST,Hawaii; UY Montevideo; UZ Samarkand \
    Tashkent; VA Vatican; VC St_Vincent; VE Caracas; VG Tortola; VI St_Thomas; VN Ho_Chi_Minh=Hanoi,Saigon \
    Ho_Chi_Minh_City=Hanoi,Saigon; VU Efate; WF Wallis; WS Apia; YE Aden=صنعاء,عدن; YT Mayotte; ZA \
    Johannesburg=Cape_Town,Kapstadt,Pretoria,SAST; ZM Lusaka; ZW Harare;";

/// Other names of countries.
const COUNTRY_NAMES: [(&str, &str); 9] = [
    ("AE", "UAE Emirates"),
    ("CI", "Ivory Coast"),
    ("CZ", "Czech Republic"),
    ("GB", "UK Great Britain England Scotland Wales"),
    ("KR", "South Korea"),
    ("MM", "Burma"),
    ("NL", "Holland"),
    ("TR", "Turkey"),
    ("US", "USA"),
];

/// Country of a zone, and what else it is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZonePlace {
    /// Two-letter code.
    pub country: &'static str,
    /// Other names of the country.
    pub country_names: &'static str,
    /// Other names of the zone, separated by commas.
    pub names: &'static str,
    /// True for the main zone of a country and for those with other names, which are listed first.
    pub is_main: bool,
}

/// Returns the place of `zone`; `None` for zones of no country, such as UTC.
pub fn place_of(zone: &Zone) -> Option<ZonePlace> {
    let city = zone.city().replace(' ', "_");
    let middle = zone.0.split('/').nth(1).unwrap_or_default();
    find(&city).or_else(|| find(middle))
}

fn find(city: &str) -> Option<ZonePlace> {
    PLACES.split(';').find_map(|row| {
        let mut words = row.split_ascii_whitespace();
        let country = words.next()?;
        let (position, names) = words.enumerate().find_map(|(position, entry)| {
            let names = entry.strip_prefix(city)?;
            let names = match names {
                "" => "",
                _ => names.strip_prefix('=')?,
            };
            Some((position, names))
        })?;
        let country_names = COUNTRY_NAMES.iter().find(|(code, _)| *code == country);
        Some(ZonePlace {
            country,
            country_names: country_names.map_or("", |(_, names)| names),
            names,
            is_main: position == 0 || !names.is_empty(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_of_zone_has_its_country_and_large_cities() {
        for (id, country, name) in [
            ("Europe/Berlin", "DE", "Munich"),
            ("Europe/Busingen", "DE", ""),
            ("Europe/Vienna", "AT", "Wien"),
            ("America/New_York", "US", "EST"),
            ("America/Los_Angeles", "US", "San_Francisco"),
            ("America/Indiana/Knox", "US", ""),
            ("America/Indianapolis", "US", ""),
            ("America/Argentina/Ushuaia", "AR", ""),
            ("America/Buenos_Aires", "AR", ""),
            // Old and current ids of the same zone.
            ("Asia/Calcutta", "IN", "Mumbai"),
            ("Asia/Kolkata", "IN", "Mumbai"),
            ("Asia/Calcutta", "IN", "दिल्ली"),
            ("Asia/Kolkata", "IN", "Kalkutta"),
            ("Asia/Tokyo", "JP", "東京"),
            ("Asia/Shanghai", "CN", "北京"),
            ("Africa/Cairo", "EG", "القاهرة"),
            ("Asia/Jerusalem", "IL", "תל_אביב"),
            ("America/New_York", "US", "NYC"),
            ("Asia/Saigon", "VN", "Hanoi"),
            ("Asia/Ho_Chi_Minh", "VN", "Hanoi"),
            ("Europe/Kiev", "UA", "Kiew"),
        ] {
            let place = place_of(&Zone(id.to_owned())).expect(id);
            assert_eq!(place.country, country, "{id}");
            let mut names = place.names.split(',');
            assert!(names.any(|found| found == name), "{id}");
        }
        for id in ["UTC", "Etc/GMT+5", "Etc/UTC", "Antarctica/Troll", ""] {
            assert_eq!(place_of(&Zone(id.to_owned())), None, "{id}");
        }
    }

    #[test]
    fn main_zones_are_the_first_of_a_country_and_those_with_large_cities() {
        for (id, is_main) in [
            ("Europe/Berlin", true),
            ("Europe/Busingen", false),
            ("America/Denver", true),
            ("America/Boise", false),
        ] {
            let place = place_of(&Zone(id.to_owned())).expect(id);
            assert_eq!(place.is_main, is_main, "{id}");
        }
    }

    #[test]
    fn table_has_each_city_once_in_rows_of_two_letter_codes() {
        let mut cities = Vec::new();
        for row in PLACES.split(';').filter(|row| !row.is_empty()) {
            let mut words = row.split_ascii_whitespace();
            let country = words.next().unwrap_or_default();
            assert!(country.len() == 2 && country.chars().all(|c| c.is_ascii_uppercase()));
            cities.extend(words.map(|word| word.split('=').next().unwrap_or_default()));
        }
        let count = cities.len();
        cities.sort_unstable();
        cities.dedup();
        assert_eq!(cities.len(), count);
    }
}
