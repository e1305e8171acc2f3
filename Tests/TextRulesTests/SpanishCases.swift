/// Each case has what is heard, what must be written, and the case's source, separated by bars; `\n` is a line break. The
/// words are from these sources; what is written for them is this project's decision, and often differs from the source's:
///
/// - NeMo: `tests/nemo_text_processing/es/data_inverse_text_normalization` of github.com/NVIDIA/NeMo-text-processing
/// - text2num: `tests/test_text_to_num_es.py` of github.com/allo-media/text2num
/// - Apple, Microsoft, Dragon: the lists of dictation commands in their manuals
/// - utter: sentences made up for a rule, most of them to see it leave alone what it must
enum SpanishCases {
    static let numbers = """
        doscientos cincuenta y uno | 251 | NeMo cardinal
        novecientos noventa y nueve millones novecientos noventa y nueve mil novecientos noventa y nueve | 999.999.999 | NeMo cardinal
        cero | cero | NeMo cardinal
        uno | uno | NeMo cardinal
        una | una | NeMo cardinal
        nueve | nueve | NeMo cardinal
        diez | 10 | NeMo cardinal
        menos veintitrés | -23 | NeMo cardinal
        cien | 100 | NeMo cardinal
        ciento un | 101 | NeMo cardinal
        ciento una | 101 | NeMo cardinal
        mil y uno | mil y uno | NeMo cardinal
        mil uno | 1001 | NeMo cardinal
        nueve billones setecientos ochenta y nueve mil trescientos ochenta y dos millones quinientos treinta y seis mil ciento treinta | 9.789.382.536.130 | NeMo cardinal
        doscientos cincuenta y cuatro | 254 | NeMo cardinal
        ciento cuarenta y siete mil cuatrocientos cincuenta y uno | 147.451 | NeMo cardinal
        un millón ciento cincuenta y seis mil ciento setenta y tres | 1.156.173 | NeMo cardinal
        mil quinientos noventa y tres millones setenta y dos mil novecientos sesenta y uno | 1.593.072.961 | NeMo cardinal
        diez mil diez billones diez millones cien mil diez | 10.010.000.010.100.010 | NeMo cardinal
        menos veinticinco mil treinta y siete | -25.037 | NeMo cardinal
        menos sesenta | -60 | NeMo cardinal
        cuarenta y seis mil seiscientos sesenta y cuatro | 46.664 | NeMo cardinal
        dos millones tres | 2.000.003 | NeMo cardinal
        mil trece | 1013 | NeMo cardinal
        mil cien | 1100 | NeMo cardinal
        mil veintiséis | 1026 | NeMo cardinal
        mil ciento veintiséis | 1126 | NeMo cardinal
        dieciocho mil ochocientos ochenta | 18.880 | NeMo cardinal
        un millardo uno | 1.000.000.001 | NeMo cardinal
        muchas millones | muchas millones | NeMo cardinal
        veintiacuátro | veintiacuátro | NeMo cardinal
        entre dieciséis mil y dieciocho mil | entre 16.000 y 18.000 | NeMo cardinal
        once | 11 | text2num
        diecinueve | 19 | text2num
        treinta y uno | 31 | text2num
        noventa y nueve | 99 | text2num
        doscientos uno | 201 | text2num
        dos mil | 2000 | text2num
        dos mil noventa y nueve | 2099 | text2num
        nueve mil novecientos noventa y nueve | 9999 | text2num
        novecientos noventa y nueve mil novecientos noventa y nueve | 999.999 | text2num
        cincuenta y tres mil veinte millones doscientos cuarenta y tres mil setecientos veinticuatro | 53.020.243.724 | text2num
        cincuenta y un millones quinientos setenta y ocho mil trescientos dos | 51.578.302 | text2num
        setenta y cinco mil | 75.000 | text2num
        mil novecientos veinte | 1920 | text2num
        sesenta quince | 60 15 | text2num
        sesenta cien | 60 100 | text2num
        veinticinco vacas doce gallinas y ciento veinticinco kg de patatas | 25 vacas 12 gallinas y 125 kg de patatas | text2num
        un dos tres cuatro veinte quince | 1234 20 15 | text2num
        cincuenta sesenta treinta y once | 50 60 30 y 11 | text2num
        trece mil cero noventa | 13.000 cero 90 | text2num
        un momento por favor | un momento por favor | text2num
        treinta y un gatos | 31 gatos | text2num
        ni uno | ni uno | text2num
        un millon | un millon | text2num
        cero nueve sesenta cero seis doce veintiuno | 09 60 06 12 21 | text2num
        uno dos tres uno dos tres cinco seis siete ocho | 1231235678 | NeMo telephone
        doscientos mil | 200.000 | utter
        doscientas personas | 200 personas | utter
        dos personas esperan cinco minutos | dos personas esperan cinco minutos | utter
        mil gracias | mil gracias | utter
        las mil y una noches | las mil y una noches | utter
        un millón de razones | un millón de razones | utter
        dos millones de personas | 2 millones de personas | utter
        un millón doscientos cincuenta mil | 1.250.000 | utter
        cinco a diez días | 5 a 10 días | utter
        dos o trescientas personas | dos o trescientas personas | utter
        dos o tres personas | dos o tres personas | utter
        en la página cinco | en la página 5 | utter
        diez menos cinco | 10 menos cinco | utter
        por lo menos veinte | por lo menos 20 | utter
        al menos diez veces | al menos 10 veces | utter
        más o menos veinte | más o menos 20 | utter
        uno de ellos y una de ellas | uno de ellos y una de ellas | utter
        dos tres y cinco | dos tres y cinco | utter
        un hombre y una mujer | un hombre y una mujer | utter
        tres y media | tres y media | utter
        """

    static let amounts = """
        uno coma dos seis | 1,26 | NeMo decimal
        menos uno coma dos seis | -1,26 | NeMo decimal
        uno coma veintiséis | 1,26 | NeMo decimal
        cero coma dos seis | 0,26 | NeMo decimal
        tres coma ciento cuarenta y uno | 3,141 | NeMo decimal
        tres coma cero ciento cuarenta y uno | 3,0141 | NeMo decimal
        cuatrocientos millones | 400 millones | NeMo decimal
        uno punto treinta y tres | 1.33 | NeMo decimal
        cero coma seis millones | 0,6 millones | NeMo decimal
        mil ochocientos veinticuatro millones | 1824 millones | NeMo decimal
        dos billones | 2 billones | NeMo decimal
        ocho coma cinco dos por ciento | 8,52 % | NeMo measure
        uno porciento | 1 % | NeMo measure
        doce dólares y cinco centavos | 12,05 $ | NeMo money
        setenta y cinco dólares sesenta y tres | 75,63 $ | NeMo money
        setenta y cinco dólares con sesenta y tres centavos | 75,63 $ | NeMo money
        setenta y cinco dólares con sesenta y tres | 75,63 $ | NeMo money
        un dólar | un dólar | NeMo money
        veinticinco céntimos | 25 céntimos | NeMo money
        dos dólares y sesenta y tres dólares | 2 $ y 63 $ | NeMo money
        doce coma noventa y nueve | 12,99 | text2num
        ciento veinte coma cero cinco | 120,05 | text2num
        uno coma doscientos treinta y seis | 1,236 | text2num
        veinte euros | 20 € | utter
        tres coma cinco por ciento | 3,5 % | utter
        cien por cien | 100 % | utter
        cien euros | 100 € | utter
        un euro cincuenta | 1,50 € | utter
        dos euros y dos amigos | 2 € y dos amigos | utter
        menos cinco grados | -5 grados | utter
        """

    static let ordinals = """
        primero | primero | NeMo ordinal
        noveno | noveno | NeMo ordinal
        décimo | 10.º | NeMo ordinal
        undécima | 11.ª | NeMo ordinal
        décimo primero | 11.º | NeMo ordinal
        vigésima primera | 21.ª | NeMo ordinal
        vigésimo tercero | 23.º | NeMo ordinal
        un décimo | un décimo | NeMo fraction
        la segunda vez | la segunda vez | utter
        quedó décimo punto luego nada | quedó 10.º. Luego nada | utter
        """

    static let times = """
        las dieciséis cincuenta | las 16:50 | NeMo time
        la una | la una | NeMo time
        las dos | las dos | NeMo time
        las tres personas | las tres personas | NeMo time
        la una y diez | la 1:10 | NeMo time
        la una y cuarto | la 1:15 | NeMo time
        la una y media | la 1:30 | NeMo time
        las dos menos veinte | las dos menos veinte | NeMo time
        las dos menos cuarto | las dos menos cuarto | NeMo time
        las veintitrés y media | las 23:30 | NeMo time
        las veintitrés y cincuenta y nueve | las 23:59 | NeMo time
        a las catorce treinta | a las 14:30 | utter
        a las tres menos cuarto | a las 2:45 | utter
        a las dos veinte | a las 2:20 | utter
        a las dos y cinco de la tarde | a las 2:05 de la tarde | utter
        a las diez de la mañana | a las 10 de la mañana | utter
        las dos y tres amigos | las dos y tres amigos | utter
        las dos y media naranja | las 2:30 naranja | utter
        """

    static let dates = """
        primero de enero | 1 de enero | NeMo date
        uno de enero | 1 de enero | NeMo date
        del uno al tres de mayo | del 1 al 3 de mayo | utter
        siglo veintiuno | siglo veintiuno | utter
        domingo veintiséis de octubre | domingo 26 de octubre | NeMo date
        treinta y uno de diciembre de mil novecientos noventa y dos | 31 de diciembre de 1992 | NeMo date
        el veinticinco de marzo de dos mil veinticuatro | el 25 de marzo de 2024 | utter
        el tres de mayo del dos mil diez | el 3 de mayo del 2010 | utter
        en mil novecientos ochenta y cuatro | en 1984 | utter
        el primero de la clase | el primero de la clase | utter
        dos de mis amigos | dos de mis amigos | utter
        """

    static let marks = """
        hola coma qué tal signo de interrogación | hola, qué tal? | Apple
        abrir interrogación qué tal cerrar interrogación | ¿qué tal? | Apple
        bien punto abrir exclamación gracias cerrar exclamación | bien. ¡Gracias! | Apple
        esto dos puntos uno punto y coma | esto: uno; | Apple
        leche nueva línea pan | leche\\nPan | Apple
        fin punto nuevo párrafo principio | fin.\\n\\nPrincipio | Microsoft
        fin punto y aparte principio | fin.\\n\\nPrincipio | Microsoft
        fin punto y seguido principio | fin. Principio | Microsoft
        abrir paréntesis ver arriba cerrar paréntesis | (ver arriba) | Microsoft
        abrir comillas hola cerrar comillas | «hola» | Dragon
        norte guión sur | norte-sur | Dragon
        desde mi punto de vista | desde mi punto de vista | utter
        estoy a punto de salir | estoy a punto de salir | utter
        a las dos en punto | a las dos en punto | utter
        hasta cierto punto es verdad | hasta cierto punto es verdad | utter
        falta una coma aquí | falta una coma aquí | utter
        marcó dos puntos | marcó dos puntos | utter
        creo que no coma pero no sé | creo que no, pero no sé | utter
        no coma nada | no coma nada | utter
        por último coma gracias | por último, gracias | utter
        nombre guión bajo apellido | nombre_apellido | utter
        quiero que coma algo | quiero que coma algo | utter
        que duerma o coma | que duerma o coma | utter
        está en coma profundo | está en coma profundo | utter
        tiene dos puntos de ventaja | tiene dos puntos de ventaja | utter
        uno coma dos coma tres | uno, dos, tres | utter
        sí coma tres coma cinco por ciento | sí, 3,5 % | utter
        versión uno punto dos punto tres | versión 1.2.3 | utter
        versión dos punto cero | versión 2.0 | utter
        una nueva línea de metro | una nueva línea de metro | utter
        veinte manzanas coma doce peras | 20 manzanas, 12 peras | utter
        """

    static let sentences = """
        él vino el lunes en marzo | Él vino el lunes en marzo | utter
        veinticinco personas vinieron | 25 personas vinieron | utter
        abrir interrogación cómo estás cerrar interrogación | ¿Cómo estás? | utter
        borra eso por favor | Borra eso por favor | utter
        punto y aparte | .\\n\\n | utter
        """
}
